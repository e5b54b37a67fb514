/etc/init.d/mariadb start
mysql -e "select version(), @@secure_file_priv"
