answers http://127.0.0.1:13337/healthz '/opt/code-server/bin/code-server --auth none --bind-addr 127.0.0.1:13337'
