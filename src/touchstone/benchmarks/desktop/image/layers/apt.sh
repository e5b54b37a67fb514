# For scripts of layers: packages of Debian, and their versions. What is fetched stays outside, for the next time.
export DEBIAN_FRONTEND=noninteractive

install_packages() {
    mkdir -p /run/downloads/apt/partial
    chown _apt /run/downloads/apt/partial
    apt-get update -q
    apt-get install -q -y --no-install-recommends -o Dir::Cache::archives=/run/downloads/apt "$@"
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*.bin /var/log/apt /var/log/dpkg.log /var/cache/debconf/*-old
}

# LAYER PACKAGE…: writes down which versions came.
note_packages() {
    mkdir -p /usr/share/touchstone/layers
    dpkg-query -W -f '${Package} ${Version}\n' "${@:2}" >> "/usr/share/touchstone/layers/$1"
}
