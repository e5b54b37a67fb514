# What mmdebstrap leaves to be done.
localedef -i en_US -f UTF-8 en_US.UTF-8
echo 'LANG=en_US.UTF-8' > /etc/default/locale
printf '127.0.0.1 localhost ubuntu\n::1 localhost ip6-localhost ip6-loopback\n' > /etc/hosts
echo ubuntu > /etc/hostname
mkdir -p /usr/share/touchstone/layers
{ echo "debian $(cat /etc/debian_version)"; dpkg-query -W -f '${Package} ${Version}\n' libc6 bash; } > /usr/share/touchstone/layers/system
