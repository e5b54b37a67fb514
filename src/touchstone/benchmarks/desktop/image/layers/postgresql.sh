# The server with an empty cluster, in the published language and encoding; it runs when a desktop starts.
. ./apt.sh
export LANG=en_US.UTF-8
install_packages postgresql
note_packages postgresql postgresql-15

# As published: passwords on local connections, and containers may connect. The published server listens everywhere; this one
# names its addresses, because the containers' addresses (Superset's own PostgreSQL has one) are on the same device here.
folder=/etc/postgresql/15/main
echo "listen_addresses = 'localhost,172.17.0.1'" >> "$folder/postgresql.conf"
sed -i -E 's/^(local\s+(all|replication)\s+all\s+)peer/\1scram-sha-256/' "$folder/pg_hba.conf"
echo 'host    all             all             172.0.0.0/8             scram-sha-256' >> "$folder/pg_hba.conf"
