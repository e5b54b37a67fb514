# The programs of the desktop, and everybody who has an account on it.
. ./apt.sh

# The servers of other layers find their accounts here: those layers do not know each other.
adduser --system --quiet --group --no-create-home --home /var/lib/postgresql --shell /bin/bash --gecos PostgreSQL postgres
addgroup --system --quiet ssl-cert
usermod -aG ssl-cert postgres
adduser --system --quiet --group --no-create-home --home /nonexistent --disabled-login --gecos MySQL mysql
adduser --system --quiet --group --no-create-home --home /var/lib/redis redis

addgroup --system --quiet docker
useradd --create-home --uid 1000 --user-group --shell /bin/bash --groups sudo,docker user
echo user:password | chpasswd

screen=(xvfb openbox xfce4-panel xdotool wmctrl scrot xclip x11-utils x11-xserver-utils ffmpeg)
buses=(dbus dbus-x11 at-spi2-core libatk-adaptor gir1.2-atspi-2.0 gsettings-desktop-schemas dconf-gsettings-backend dconf-cli)
programs=(gnome-terminal gedit nautilus gvfs chromium libreoffice-calc libreoffice-gtk3 sqlite3 postgresql-client)
python=(python3-pyatspi python3-gi python3-lxml python3-pil python3-xlib python3-requests python3-numpy python3-tk python3-venv
    python-is-python3)
tools=(libfaketime jq socat unzip zip curl wget expect git nano vim-tiny less file procps psmisc iproute2 iputils-ping net-tools xdg-utils
    gawk bc)
looks=(adwaita-icon-theme librsvg2-common fonts-dejavu fonts-liberation)
install_packages "${screen[@]}" "${buses[@]}" "${programs[@]}" "${python[@]}" "${tools[@]}" "${looks[@]}"
note_packages desktop xvfb openbox xfce4-panel gnome-terminal gedit nautilus chromium libreoffice-calc sqlite3 python3

/run/registries/uv pip install -q --system --break-system-packages --python /usr/bin/python3 pyautogui==0.9.54 mss
echo 'pyautogui 0.9.54' >> /usr/share/touchstone/layers/desktop
