# Settings that spare everybody the questions of a first start, the start page, and the stand-ins.
put() { install -D -m "${3:-644}" "files/$1" "$2"; }
give() { install -d -o user -g user "$(dirname "$2")" && install -o user -g user -m 644 "files/$1" "$2"; }
home=/home/user

put start.html /usr/share/touchstone/start.html
put chromium-options /etc/chromium.d/touchstone
put chromium-policies.json /etc/chromium/policies/managed/touchstone.json
put google-chrome.desktop /usr/share/applications/google-chrome.desktop
put mimeapps.list /etc/xdg/mimeapps.list
put panel.xml /etc/xdg/xfce4/panel/default.xml
put dconf /etc/dconf/db/local.d/touchstone
sed -i '/<applications>/r files/openbox-windows.xml' /etc/xdg/openbox/rc.xml
install -d /etc/dconf/profile
printf 'user-db:user\nsystem-db:local\n' > /etc/dconf/profile/user
dconf update

for folder in Desktop Documents Downloads Music Pictures Public Templates Videos projects .config .cache .local .local/share \
    .dagster anaconda3 anaconda3/envs anaconda3/etc anaconda3/etc/profile.d .config/xfce4 .config/xfce4/xfconf \
    .config/xfce4/xfconf/xfce-perchannel-xml .config/libreoffice .config/libreoffice/4; do
    install -d -o user -g user "$home/$folder"
done
give panel.xml "$home/.config/xfce4/xfconf/xfce-perchannel-xml/xfce4-panel.xml"
give mimeapps.list "$home/.config/mimeapps.list"
give libreoffice.xcu "$home/.config/libreoffice/4/user/registrymodifications.xcu"
# The screen wants no key; without any entry here, pyautogui's library prints a warning whenever it starts.
python3 -c 'import struct, sys
fields = (b"ubuntu", b"0", b"MIT-MAGIC-COOKIE-1", bytes(16))
sys.stdout.buffer.write(struct.pack(">H", 256) + b"".join(struct.pack(">H", len(field)) + field for field in fields))
' > "$home/.Xauthority"
chown user:user "$home/.Xauthority"
chmod 600 "$home/.Xauthority"
install -o user -g user -m 644 /dev/null "$home/.sudo_as_admin_successful"

install -D -o user -g user -m 644 standins/conda.sh "$home/anaconda3/etc/profile.d/conda.sh"
echo '. /home/user/anaconda3/etc/profile.d/conda.sh' >> "$home/.bashrc"
for name in google-chrome systemctl code astro docker date timedatectl tail; do
    install -m 755 "standins/$name" "/usr/local/bin/$name"
done
ln -s docker /usr/local/bin/docker-compose
for name in services.py web.py; do install -D -m 644 "standins/$name" "/usr/local/lib/touchstone/$name"; done
install -m 755 standins/boot /usr/local/lib/touchstone/boot

# Names of containers that run on the desktop itself; 172.18.0.2 is an address of its loopback.
printf '172.18.0.2 db superset_db\n172.17.0.1 host.docker.internal\n127.0.0.1 redis superset superset_app\n' >> /etc/hosts

# A certificate for the public names that web.py stands in for. Its authority signs nothing else, and is forgotten.
names="$(cd standins && python3 -c 'import web; print(",".join(f"DNS:{name}" for name in [*web.INDEX, *web.OFFLINE]))')"
install -d /usr/local/share/touchstone
openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj '/CN=Touchstone desktop' -keyout /tmp/authority.key \
    -out /usr/local/share/ca-certificates/touchstone.crt -addext 'keyUsage=critical,keyCertSign'
openssl req -newkey rsa:2048 -nodes -subj '/CN=web' -keyout /tmp/web.key -out /tmp/web.csr
openssl x509 -req -in /tmp/web.csr -days 3650 -CA /usr/local/share/ca-certificates/touchstone.crt -CAkey /tmp/authority.key \
    -CAcreateserial -CAserial /tmp/serial -extfile <(echo "subjectAltName=$names") -out /tmp/web.crt
install -m 600 /dev/null /usr/local/share/touchstone/web.pem
cat /tmp/web.key /tmp/web.crt > /usr/local/share/touchstone/web.pem
update-ca-certificates > /dev/null
python3 - << 'END'
import base64, json, ssl
from pathlib import Path
policies = Path("/etc/chromium/policies/managed/touchstone.json")
authority = ssl.PEM_cert_to_DER_cert(Path("/usr/local/share/ca-certificates/touchstone.crt").read_text())
known = json.loads(policies.read_text()) | {"CACertificates": [base64.b64encode(authority).decode()]}
policies.write_text(json.dumps(known, indent=2))
END

# The first start of LibreOffice writes half of its profile; nobody should wait for that.
echo 1 > /tmp/one.csv
su user -c 'cd /tmp && HOME=/home/user soffice --headless --convert-to xlsx one.csv' > /dev/null 2>&1
grep -q WarnAlienFormat "$home/.config/libreoffice/4/user/registrymodifications.xcu"
give libreoffice.xcu "$home/.config/libreoffice/4/user/registrymodifications.xcu"
rm -rf "$home/.cache/dconf"
