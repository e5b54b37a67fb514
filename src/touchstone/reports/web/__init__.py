"""Runs in the browser: a local web app over run directories, and the same pages as a static folder.

    library ──> index (a line per episode, with its place in the file)
       │          │
       └────────> site: an address -> a page ──> server (localhost), export (a folder)

Every page is made on the server as text from small functions that escape all they are given; a small script filters lists and
follows runs that are going. Addresses are the same in the app and in the folder, and all links are relative. Nothing is loaded
from elsewhere. What a page shows of a run is read from its directory and nowhere else.
"""
