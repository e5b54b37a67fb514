# Touchstone in a container: everything that needs Linux, on any machine.
#   docker build -t touchstone .
#   docker run --rm -v "$PWD:/work" touchstone run sql questions.csv shop.sqlite --agent oracle
# Programs under test are confined by namespaces, which containers are refused by default:
#   docker run --security-opt seccomp=unconfined --security-opt apparmor=unconfined …
FROM python:3.13-slim-bookworm
RUN apt-get update -q && apt-get install -y -q --no-install-recommends \
        bubblewrap libfaketime mariadb-server-core postgresql && rm -rf /var/lib/apt/lists/*
COPY pyproject.toml constraints.txt README.md LICENSE MANIFEST.in /src/
COPY src /src/src
RUN pip install --no-cache-dir -c /src/constraints.txt '/src[serve,interact,duckdb,mysql,questions,proof]'
WORKDIR /work
ENTRYPOINT ["touchstone"]
