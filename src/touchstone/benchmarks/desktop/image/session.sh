#!/bin/bash
# The desktop's session, as user 1000 in a sandbox: a screen, a message bus, a window manager, a panel, the controller.
# The controller's process ends the session. Nothing waits for more than it needs: ready in about a second.
export HOME=/home/user USER=user LOGNAME=user SHELL=/bin/bash LANG=en_US.UTF-8 DISPLAY=:0
export PATH=/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin
export GTK_MODULES=gail:atk-bridge NO_AT_BRIDGE=0 ACCESSIBILITY_ENABLED=1 GNOME_ACCESSIBILITY=1 QT_ACCESSIBILITY=1
export XDG_RUNTIME_DIR=/tmp/.runtime XDG_CURRENT_DESKTOP=GNOME XDG_SESSION_TYPE=x11 DAGSTER_HOME=/home/user/.dagster
# Python's requests has a list of authorities of its own; a time that was set is not for clocks that measure durations.
export REQUESTS_CA_BUNDLE=/etc/ssl/certs/ca-certificates.crt FAKETIME_DONT_FAKE_MONOTONIC=1 DONT_FAKE_MONOTONIC=1
export DBUS_SESSION_BUS_ADDRESS=unix:path=$XDG_RUNTIME_DIR/bus

share=/run/touchstone
logs=$share
[ -w "$logs" ] || logs=/tmp
mkdir -p -m 700 "$XDG_RUNTIME_DIR"
mkdir -p -m 1777 /tmp/.X11-unix
cd "$HOME" || exit 1

# It says on its output when it takes connections.
coproc screen { exec Xvfb :0 -screen 0 "${TOUCHSTONE_SCREEN:-1920x1080x24}" -nolisten tcp -noreset -displayfd 1 2> "$logs/xvfb.log"; }
dbus-daemon --session --address="$DBUS_SESSION_BUS_ADDRESS" --fork --nopidfile 2> "$logs/dbus.log"
read -r -u "${screen[0]}"

# As root, like the services of a machine that has booted.
echo password | sudo -S -b -p '' /usr/local/lib/touchstone/boot "${TOUCHSTONE_WEB-}" 2> "$logs/boot.log"
xsetroot -solid '#2e3436' -cursor_name left_ptr &
/usr/libexec/at-spi-bus-launcher --launch-immediately > "$logs/accessibility.log" 2>&1 &
openbox > "$logs/openbox.log" 2>&1 &
xfce4-panel --disable-wm-check > "$logs/panel.log" 2>&1 &
exec python3 "${TOUCHSTONE_CONTROLLER:-/opt/touchstone/controller}" --socket "$share/controller.sock" \
    --tunnel "$share/tunnel.sock" --token-file "$share/token" > "$logs/controller.log" 2>&1
