# Stands in for the package index's answer whether a name is taken, and, where a run asks for it, for a few public addresses.
"""Answers for them on this desktop's own loopback, ports 80 and 443, with a certificate that only this desktop trusts. The data
are made up in the published shape and always the same; only the iris flowers are real: scikit-learn brings them.

Does:
    web.py index      pypi.org: whether a package of this name exists, which `dagster project scaffold` asks
    web.py offline    and the sources of OFFLINE, because the run was told to play with them

Does not: give packages, or anything at another path.
"""

from __future__ import annotations

import csv
import io
import json
import ssl
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from random import Random

CERTIFICATE = Path("/usr/local/share/touchstone/web.pem")
START = Path("/usr/share/touchstone/start.html")
IRIS = "/home/user/anaconda3/envs/*/lib/python*/site-packages/sklearn/datasets/data/iris.csv"
TAKEN = {
    "dagster",
    "dagster-dbt",
    "dagster-airflow",
    "dagster-duckdb",
    "dagster-graphql",
    "dagster-webserver",
    "dbt",
    "dbt-core",
}
"""Names of packages that exist, of those that a project might be given."""
WORDS = (
    "Small",
    "fast",
    "open",
    "database",
    "compiler",
    "Show",
    "kernel",
    "why",
    "language",
    "review",
    "Rust",
    "paper",
    "model",
    "history",
    "network",
    "game",
    "editor",
    "tiny",
    "Python",
    "city",
)
Answer = tuple[int, str, str]


def pypi(path: str) -> Answer:
    name = path.removeprefix("/pypi/").partition("/")[0].lower().replace("_", "-")
    return as_json({"info": {"name": name}}) if name in TAKEN else missing(path)


def hacker_news(path: str) -> Answer:
    numbers = [40_000_000 + 37 * step for step in range(500)]
    if path in ("/v0/topstories.json", "/v0/newstories.json", "/v0/beststories.json"):
        return as_json(numbers)
    word = path.removeprefix("/v0/item/").removesuffix(".json")
    if not word.isdigit() or int(word) not in numbers:
        return as_json(None)
    chosen = Random(int(word))
    title = " ".join(chosen.choice(WORDS) for _ in range(chosen.randint(4, 9)))
    return as_json(
        {
            "by": f"user{word[-3:]}",
            "descendants": chosen.randint(0, 300),
            "id": int(word),
            "score": chosen.randint(10, 900),
            "time": 1_714_500_000 + int(word) % 100_000,
            "title": title,
            "type": "story",
            "url": f"https://example.com/{word}",
        }
    )


def weather(path: str) -> Answer:
    town, _, wish = path.strip("/").partition("?")
    if "format=j1" in wish:
        return as_json(
            {
                "current_condition": [{"temp_C": "24", "humidity": "78", "weatherDesc": [{"value": "Partly cloudy"}]}],
                "nearest_area": [{"areaName": [{"value": town}]}],
            }
        )
    return 200, "text/plain; charset=utf-8", f"{town or 'here'}: Partly cloudy +24°C\n"


def cocktail(path: str) -> Answer:
    drink = {
        "idDrink": "99001",
        "strDrink": "Harbour Light",
        "strCategory": "Ordinary Drink",
        "strAlcoholic": "Alcoholic",
        "strGlass": "Highball glass",
        "strInstructions": "Fill a tall glass with ice. Add all, and stir.",
    }
    return as_json({"drinks": [drink]}) if path.partition("?")[0].endswith(".php") else missing(path)


def iris(path: str) -> Answer:
    table = next(iter(sorted(Path("/").glob(IRIS.lstrip("/")))), None)
    if table is None or not path.endswith("/iris.csv"):
        return missing(path)
    rows = list(csv.reader(table.read_text().splitlines()))
    species = [f"Iris-{name}" for name in rows[0][2:]]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([*row[:4], species[int(row[4])]] for row in rows[1:])
    return 200, "text/csv", text.getvalue()


def start_page(path: str) -> Answer:
    return 200, "text/html; charset=utf-8", START.read_text()


def as_json(value: object) -> Answer:
    return 200, "application/json", json.dumps(value)


def missing(path: str) -> Answer:
    return 404, "text/plain; charset=utf-8", f"{path}: not here\n"


INDEX = {"pypi.org": pypi}
OFFLINE = {
    "www.bing.com": start_page,
    "www.google.com": start_page,
    "hacker-news.firebaseio.com": hacker_news,
    "wttr.in": weather,
    "www.thecocktaildb.com": cocktail,
    "docs.dagster.io": iris,
}


def answer(host: str, path: str) -> Answer:
    source = {**INDEX, **OFFLINE}.get(host.partition(":")[0].lower())
    return source(path) if source else missing(path)


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        status, kind, text = answer(self.headers.get("Host", ""), self.path)
        body = text.encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET


def main(mode: str) -> None:
    names = [*INDEX, *(OFFLINE if mode == "offline" else ())]
    with Path("/etc/hosts").open("a") as file:
        file.write(f"127.0.0.1 {' '.join(names)}\n")
    plain, secure = (ThreadingHTTPServer(("127.0.0.1", port), Handler) for port in (80, 443))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    secure.socket = context.wrap_socket(secure.socket, server_side=True)
    threading.Thread(target=secure.serve_forever, daemon=True).start()
    plain.serve_forever()


if __name__ == "__main__":
    main(sys.argv[1])
