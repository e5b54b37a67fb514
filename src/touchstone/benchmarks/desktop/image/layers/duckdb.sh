# A program, not a library: it needs no environment of its own.
. ./python.sh
"$uv" pip install --target /opt/duckdb-cli duckdb-cli==1.5.6
chmod 755 /opt/duckdb-cli/duckdb_cli/duckdb
ln -s /opt/duckdb-cli/duckdb_cli/duckdb /usr/local/bin/duckdb
mkdir -p /usr/share/touchstone/layers
echo 'duckdb-cli 1.5.6' >> /usr/share/touchstone/layers/duckdb
