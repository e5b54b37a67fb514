# For checks of layers. A check runs as root in a chamber like a desktop's: no network, what it writes is forgotten. Its failure
# is the build's.
export HOME=/home/user LANG=en_US.UTF-8
environments=/home/user/anaconda3/envs
service_logs=/tmp/server.log

as_user() { su user -c "cd && $1"; }

# ENVIRONMENT MODULE…: all can be imported, together.
can_import() {
    local modules="${*:2}"
    as_user "$environments/$1/bin/python -c 'import ${modules// /, }'"
}

# ADDRESS COMMAND: a server that the user starts answers within three minutes.
answers() {
    su user -c "cd && exec $2" > "$service_logs" 2>&1 &
    local server=$!
    for _ in $(seq 360); do
        if curl -sfL -o /dev/null "$1"; then kill "$server"; return 0; fi
        kill -0 "$server" 2> /dev/null || break
        sleep 0.5
    done
    tail -n 40 "$service_logs"
    echo "$1 does not answer"
    return 1
}
