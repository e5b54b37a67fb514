/etc/init.d/postgresql start
su postgres -c "psql -c \"create user one superuser password 'one'\""
as_user 'PGPASSWORD=one psql -h 172.17.0.1 -U one postgres -c "select version()"'
