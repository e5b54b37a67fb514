# With the packages of its time, and its database made ready: that alone takes minutes.
# One of its packages must be compiled; the compiler does not stay.
. ./apt.sh
. ./python.sh
. ./cluster.sh
install_server g++ python3-dev
make_environment superset apache-superset==3.1.1 psycopg2-binary pymysql duckdb-engine \
    'setuptools<70' gunicorn
note_environment superset apache-superset flask-appbuilder pandas

install -D -o user -g user -m 644 superset_config.py /home/user/.superset/superset_config.py
chown user:user /home/user/.superset
install -d -o user -g user /home/user/projects /home/user/projects/superset
for name in docker-compose.yml docker-compose-image-tag.yml docker-compose-non-dev.yml; do
    install -o user -g user -m 644 superset_compose.yml "/home/user/projects/superset/$name"
done

echo "$cluster" > /tmp/ready.sh
cat >> /tmp/ready.sh << 'END'
set -e
export HOME=/home/user SUPERSET_CONFIG_PATH=/home/user/.superset/superset_config.py FLASK_APP=superset
export PATH="/home/user/anaconda3/envs/superset/bin:$PATH"
cd
make_cluster "$HOME/.superset" superset
echo "listen_addresses = '172.18.0.2'" >> .superset/db/postgresql.conf
echo 'host all all 172.0.0.0/8 scram-sha-256' >> .superset/db/pg_hba.conf
export DATABASE_HOST="$HOME/.superset/run"
superset db upgrade
superset fab create-admin --username admin --firstname Superset --lastname Admin --email admin@superset.com --password admin
superset init
END
su user -c "bash /tmp/ready.sh"
apt-get purge -q -y --autoremove g++ python3-dev
