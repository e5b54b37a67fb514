python3 -c 'import gi, lxml, PIL, requests, numpy, tkinter, Xlib'
chromium --version
soffice --version
ls /usr/lib/*/faketime/libfaketime.so.1
