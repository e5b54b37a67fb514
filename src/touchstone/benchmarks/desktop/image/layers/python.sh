# For scripts of layers: packages of PyPI, in environments where the tasks expect those of conda.
uv=/run/registries/uv
environments=/home/user/anaconda3/envs
# The published machine was made in May 2024: what is not pinned comes from its time.
newest=2024-06-15

# NAME OPTION-OR-PACKAGE…: an environment that belongs to the user.
make_environment() {
    "$uv" venv -q --seed --python /usr/bin/python3 "$environments/$1"
    "$uv" pip install --python "$environments/$1/bin/python" --exclude-newer "$newest" "${@:2}"
    chown -R user:user /home/user/anaconda3
}

# LAYER PACKAGE…: writes down which versions came.
note_environment() {
    mkdir -p /usr/share/touchstone/layers
    local package
    for package in "${@:2}"; do
        "$uv" pip show --python "$environments/$1/bin/python" "$package" 2> /dev/null \
            | awk '/^Name:/ { name = $2 } /^Version:/ { print name, $2 }' >> "/usr/share/touchstone/layers/$1"
    done
}
