"""Addresses of the internet that end on this machine, so that official clients run unchanged.

A proxy that the clients find in the environment takes each connection to a known name to a local server; one authority, which
the clients are told to trust, vouches for all the names. Nothing leaves the machine: other names are refused.
"""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from select import select
from socket import create_connection
from socketserver import BaseRequestHandler, ThreadingTCPServer
from threading import Thread
from typing import Any

import pytest

SUFFIX = ".googleapis.com"
DAY = datetime.timedelta(days=1)


class Internet(ThreadingTCPServer):
    """Where names lead to, and the certificate that they share."""

    daemon_threads = True

    def __init__(self, directory: Path) -> None:
        super().__init__(("127.0.0.1", 0), _Tunnel)
        self.places: dict[str, int] = {}
        """Ports of this machine by name."""
        self.key, self.certificate = directory / "key.pem", directory / "certificate.pem"
        _write_certificate(self.key, self.certificate)

    def secured(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context

    def tell_clients(self, patch: pytest.MonkeyPatch) -> None:
        """By the variables that their HTTP libraries read; httplib2 has read its own already when it was imported."""
        import httplib2

        patch.setenv("https_proxy", f"http://127.0.0.1:{self.server_address[1]}")
        patch.setenv("no_proxy", "127.0.0.1")
        for name in ("REQUESTS_CA_BUNDLE", "GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"):
            patch.setenv(name, str(self.certificate))
        patch.setattr(httplib2, "CA_CERTS", str(self.certificate))


@contextmanager
def serving(server: Any) -> Generator[Any]:
    """A server of the standard library, in a thread of its own."""
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class _Tunnel(BaseRequestHandler):
    """CONNECT name:443, and then whatever both sides say."""

    server: Internet  # pyright: ignore

    def handle(self) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            part = self.request.recv(4096)
            if not part:
                return
            head += part
        name = head.split()[1].decode().rpartition(":")[0]
        if name not in self.server.places:
            self.request.sendall(b"HTTP/1.1 502 Unknown name\r\n\r\n")
            return
        with create_connection(("127.0.0.1", self.server.places[name])) as other:
            self.request.sendall(b"HTTP/1.1 200 Connected\r\n\r\n")
            self._join(other)

    def _join(self, other: Any) -> None:
        ways = {self.request: other, other: self.request}
        while True:
            for side in select(list(ways), [], [])[0]:
                try:
                    part = side.recv(65_536)
                    ways[side].sendall(part)
                except OSError:
                    return
                if not part:
                    return


def _write_certificate(key_file: Path, certificate_file: Path) -> None:
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests")])
    now = datetime.datetime.now(datetime.UTC)
    names = x509.SubjectAlternativeName([x509.DNSName(f"*{SUFFIX}")])
    made = (
        x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number(), now - DAY, now + DAY)
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    form = serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    key_file.write_bytes(key.private_bytes(serialization.Encoding.PEM, *form))
    certificate_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
