# Debian has MariaDB in place of MySQL; started with systemctl or service.
. ./apt.sh
install_packages mariadb-server
note_packages mysql mariadb-server
