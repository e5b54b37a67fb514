. ./python.sh
make_environment jupyter jupyter==1.0.0 jupyterlab==4.1.6 ipykernel==6.29.4 numpy==1.26.4 pandas==2.2.2 matplotlib==3.8.4 \
    seaborn==0.13.2 scipy==1.13.0 scikit-learn==1.5.0
note_environment jupyter jupyterlab ipykernel numpy pandas matplotlib scikit-learn

# It would ask whether it may fetch news, and whether a newer version is wanted.
settings="$environments/jupyter/share/jupyter/lab/settings/overrides.json"
install -d "$(dirname "$settings")"
cat > "$settings" << 'END'
{"@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": false}}
END
chown -R user:user "$environments/jupyter/share/jupyter/lab/settings"
