"""Forms with files: what a client sends is what is read, however it is cut into pieces."""

from __future__ import annotations

import io
from typing import IO

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.controller.routes import BadForm, boundary_of, read_form

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
TRICKY = st.lists(st.sampled_from([b"\r\n", b"--", b"mark", b"\r\n--mark", b"-", b"x"])).map(b"".join)


class Kept(io.BytesIO):
    """What was written, after it is closed too."""

    def close(self) -> None:
        self.kept = self.getvalue()
        super().close()


def sent(fields: dict[str, str], file: bytes) -> tuple[bytes, bytes]:
    request = httpx.Request("POST", "http://x/", data=fields, files={"file_data": ("a.bin", file)})
    boundary = boundary_of(request.headers["Content-Type"])
    assert boundary is not None
    return request.read(), boundary


@given(path=TEXTS, content=st.binary() | TRICKY, step=st.integers(1, 64))
def test_any_field_and_any_file(path: str, content: bytes, step: int) -> None:
    body, boundary = sent({"file_path": path}, content)
    stream, opened = io.BytesIO(body), Kept()

    def uploads(name: str) -> IO[bytes]:
        assert name == "file_data"
        return opened

    form = read_form(lambda size: stream.read(min(size, step)), boundary, uploads)
    assert form == {"file_path": path, "file_data": "a.bin"}
    assert opened.kept == content


@given(cut=st.integers(0, 200))
def test_a_form_that_ends_early_is_no_form(cut: int) -> None:
    body, boundary = sent({"file_path": "/a"}, b"0123456789" * 20)
    whole = len(body) - len(b"--\r\n")
    stream = io.BytesIO(body[: min(cut * whole // 200, whole)])
    with pytest.raises(BadForm):
        read_form(stream.read, boundary, None)


@pytest.mark.parametrize("kind", ["", "text/plain", "multipart/form-data", "application/json; boundary=x"])
def test_other_kinds(kind: str) -> None:
    assert boundary_of(kind) is None
