"""Forms with files: what a client sends is what is read."""

from __future__ import annotations

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from touchstone.benchmarks.desktop.controller.routes import BadForm, boundary_of, read_form

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))
TRICKY = st.lists(st.sampled_from([b"\r\n", b"--", b"mark", b"\r\n--mark", b"-", b"x"])).map(b"".join)


def sent(fields: dict[str, str], file: bytes) -> tuple[bytes, bytes]:
    request = httpx.Request("POST", "http://x/", data=fields, files={"file_data": ("a.bin", file)})
    boundary = boundary_of(request.headers["Content-Type"])
    assert boundary is not None
    return request.read(), boundary


@given(path=TEXTS, content=st.binary() | TRICKY)
def test_any_field_and_any_file(path: str, content: bytes) -> None:
    body, boundary = sent({"file_path": path}, content)
    form = read_form(body, boundary)
    assert form.fields == {"file_path": path}
    assert {name: bytes(file) for name, file in form.files.items()} == {"file_data": content}


@given(cut=st.integers(0, 200))
def test_a_form_that_ends_early_is_no_form(cut: int) -> None:
    body, boundary = sent({"file_path": "/a"}, b"0123456789" * 20)
    whole = len(body) - len(b"--\r\n")
    with pytest.raises(BadForm):
        read_form(body[: min(cut * whole // 200, whole)], boundary)


@pytest.mark.parametrize("kind", ["", "text/plain", "multipart/form-data", "application/json; boundary=x"])
def test_other_kinds(kind: str) -> None:
    assert boundary_of(kind) is None
