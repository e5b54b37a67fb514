# With the packages of its time, and its database made ready: that alone takes minutes.
# One of its packages must be compiled; the compiler does not stay.
. ./apt.sh
. ./python.sh
# Its PostgreSQL, in the published machine the container superset_db, is a cluster of the user's.
printf 'create_main_cluster = false\n' > /tmp/createcluster.conf
install -D -m 644 /tmp/createcluster.conf /etc/postgresql-common/createcluster.conf
install_packages -o Dpkg::Options::=--force-confold g++ python3-dev postgresql-15
rm -f /etc/init.d/postgresql  # the cluster of the layer postgresql has its own
make_environment superset apache-superset==3.1.1 psycopg2-binary pymysql duckdb-engine \
    'setuptools<70' gunicorn
note_environment superset apache-superset flask-appbuilder pandas

install -D -o user -g user -m 644 superset_config.py /home/user/.superset/superset_config.py
chown user:user /home/user/.superset
install -d -o user -g user /home/user/projects /home/user/projects/superset
for name in docker-compose.yml docker-compose-image-tag.yml docker-compose-non-dev.yml; do
    install -o user -g user -m 644 superset_compose.yml "/home/user/projects/superset/$name"
done

cat > /tmp/ready.sh << 'END'
set -e
export HOME=/home/user SUPERSET_CONFIG_PATH=/home/user/.superset/superset_config.py FLASK_APP=superset
export PATH="/home/user/anaconda3/envs/superset/bin:$PATH"
cd
bin=/usr/lib/postgresql/15/bin
echo superset > .superset/password
$bin/initdb -D .superset/db -U superset -E UTF8 --locale=en_US.UTF-8 --auth-local=trust --auth-host=scram-sha-256 --pwfile=.superset/password
rm .superset/password
mkdir .superset/run
printf "listen_addresses = '172.18.0.2'\nunix_socket_directories = '%s/.superset/run'\nfsync = off\n" "$HOME" >> .superset/db/postgresql.conf
echo 'host all all 172.0.0.0/8 scram-sha-256' >> .superset/db/pg_hba.conf
export DATABASE_HOST="$HOME/.superset/run"
$bin/pg_ctl -w -D .superset/db -l .superset/db.log -o "-c listen_addresses=''" start
trap '$bin/pg_ctl -m fast -w -D .superset/db stop' EXIT
$bin/createdb -h "$DATABASE_HOST" -U superset superset
superset db upgrade
superset fab create-admin --username admin --firstname Superset --lastname Admin --email admin@superset.com --password admin
superset init
END
su user -c "bash /tmp/ready.sh"
apt-get purge -q -y --autoremove g++ python3-dev
