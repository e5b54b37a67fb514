can_import jupyter jupyterlab ipykernel numpy pandas matplotlib.pyplot seaborn scipy.stats sklearn.datasets
answers http://127.0.0.1:8888/lab "$environments/jupyter/bin/jupyter lab --no-browser --ServerApp.token="
