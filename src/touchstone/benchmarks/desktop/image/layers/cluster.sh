# For scripts of layers: a PostgreSQL server of an application's own, in the published machine one of its containers. It is a
# cluster of the user's, reached by a socket; the layer postgresql has the machine's own server.
install_server() {
    printf 'create_main_cluster = false\n' > /tmp/createcluster.conf
    install -D -m 644 /tmp/createcluster.conf /etc/postgresql-common/createcluster.conf
    install_packages -o Dpkg::Options::=--force-confold postgresql-15 "$@"
    rm -f /etc/init.d/postgresql  # it is of the layer postgresql
}

# FOLDER NAME, both for the user's shell: a running cluster with a superuser and a database of that name. Ended when the shell is.
cluster='
bin=/usr/lib/postgresql/15/bin
make_cluster() {
    mkdir -p "$1/run"
    $bin/initdb -D "$1/db" -U "$2" -E UTF8 --locale=en_US.UTF-8 --auth-local=trust --auth-host=scram-sha-256 --pwfile=<(echo "$2")
    printf "unix_socket_directories = '"'%s'"'\nfsync = off\n" "$1/run" >> "$1/db/postgresql.conf"
    $bin/pg_ctl -w -D "$1/db" -l "$1/db.log" -o "-c listen_addresses='"''"'" start
    trap "$bin/pg_ctl -m fast -w -D $1/db stop" EXIT
    $bin/createdb -h "$1/run" -U "$2" "$2"
}
'
