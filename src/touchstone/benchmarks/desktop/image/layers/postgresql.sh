# The server with an empty cluster, in the published language and encoding; started with systemctl or service.
. ./apt.sh
export LANG=en_US.UTF-8
install_packages postgresql
note_packages postgresql postgresql-15
