"""BigQuery's service of connections, over gRPC, on this machine."""

from __future__ import annotations

from collections.abc import Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from .internet import Internet

HOST = "bigqueryconnection.googleapis.com"
SERVICE = "google.cloud.bigquery.connection.v1.ConnectionService"
PAGE = 2


class Connections:
    """Full names, such as projects/p/locations/us/connections/c."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self.tokens: set[str] = set()

    def handlers(self) -> Any:
        import grpc
        from google.cloud.bigquery_connection_v1 import types
        from google.protobuf.empty_pb2 import Empty

        def listed(request: Any, context: Any) -> Any:
            self._remember(context)
            names = [name for name in self.names if name.startswith(f"{request.parent}/connections/")]
            start = int(request.page_token or 0)
            more = str(start + PAGE) if len(names) > start + PAGE else ""
            found = [types.Connection(name=name) for name in names[start : start + PAGE]]
            return types.ListConnectionsResponse(connections=found, next_page_token=more)

        def deleted(request: Any, context: Any) -> Any:
            self._remember(context)
            self.names.remove(request.name)
            return Empty()

        return grpc.method_handlers_generic_handler(
            SERVICE,
            {
                "ListConnections": grpc.unary_unary_rpc_method_handler(
                    listed, types.ListConnectionsRequest.deserialize, types.ListConnectionsResponse.serialize
                ),
                "DeleteConnection": grpc.unary_unary_rpc_method_handler(
                    deleted, types.DeleteConnectionRequest.deserialize, Empty.SerializeToString
                ),
            },
        )

    def _remember(self, context: Any) -> None:
        self.tokens.add(dict(context.invocation_metadata())["authorization"].partition(" ")[0])


@contextmanager
def serving(internet: Internet) -> Generator[Connections]:
    import grpc

    service = Connections()
    server = grpc.server(ThreadPoolExecutor(2), handlers=[service.handlers()])
    secured = grpc.ssl_server_credentials([(internet.key.read_bytes(), internet.certificate.read_bytes())])
    internet.places[HOST] = server.add_secure_port("127.0.0.1:0", secured)
    server.start()
    try:
        yield service
    finally:
        server.stop(None).wait()
