# Debian has MariaDB in place of MySQL. It runs when a desktop starts, and exports files to where MySQL's packages let it.
. ./apt.sh
install_packages mariadb-server
note_packages mysql mariadb-server
install -d -o mysql -g mysql -m 750 /var/lib/mysql-files
printf '[mariadb]\nsecure_file_priv = /var/lib/mysql-files\n' > /etc/mysql/mariadb.conf.d/90-published.cnf
