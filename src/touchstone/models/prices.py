"""What a model call costs.

Prices come from `prices.toml` beside this module, which knows OpenAI's own models at OpenAI's own address, and from
the user's file in TOUCHSTONE_PRICES, which is asked first and for any address. A price that is not known is None,
never a guess: a dated snapshot (`gpt-5-mini-2025-08-07`) has its family's price, a variant (`gpt-5-pro`) does not.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, cast
from urllib.parse import urlsplit

import msgspec
from msgspec import Meta, Struct

from ..errors import InputError
from ..types import Usage

_OURS = Path(__file__).with_name("prices.toml")
_Amount = Annotated[float, Meta(ge=0)]


class Price(Struct, frozen=True, forbid_unknown_fields=True):
    """USD per million tokens."""

    input: _Amount
    output: _Amount
    cached: _Amount | None = None
    """Of input tokens found in the service's cache; the same as `input` if not given."""
    flex: _Amount | None = None
    """What the flex tier multiplies the price by."""

    def cost(self, usage: Usage, tier: str | None = None) -> float | None:
        """USD, or None if the tier's price is not known, or the tokens are not."""
        if usage.uncounted:
            return None
        factor = self.flex if tier == "flex" else 1.0 if tier in (None, "auto", "default") else None
        if factor is None:
            return None
        cached = self.input if self.cached is None else self.cached
        fresh = max(0, usage.input_tokens - usage.cached_tokens)
        return factor * (fresh * self.input + usage.cached_tokens * cached + usage.output_tokens * self.output) / 1e6


def price_of(model: str, base_url: str | None = None) -> Price | None:
    """The price of a model at an address; no address means OpenAI's."""
    return user_price(model) or (_lookup(model, _table(_OURS)) if is_openai(base_url) else None)


def user_price(model: str) -> Price | None:
    """The price that the user's own file gives."""
    path = os.environ.get("TOUCHSTONE_PRICES")
    return _lookup(model, _table(Path(path))) if path else None


def is_openai(base_url: str | None) -> bool:
    host = "api.openai.com" if base_url is None else urlsplit(base_url).hostname or ""
    return host == "api.openai.com" or host.endswith(".api.openai.com")


def _lookup(model: str, table: Mapping[str, Price]) -> Price | None:
    families = [name for name in table if name == model or _is_snapshot(model, name)]
    return table[max(families, key=len)] if families else None


def _is_snapshot(model: str, family: str) -> bool:
    rest = model.removeprefix(family + "-")
    return rest != model and rest[:1].isdigit() and rest.replace("-", "").isdigit()


@cache
def _table(path: Path) -> Mapping[str, Price]:
    try:
        models = tomllib.loads(path.read_text("utf-8")).get("models")
    except OSError as error:
        raise InputError(f"the price file {path} cannot be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"the price file {path} is not TOML: {error}") from None
    if not isinstance(models, dict):
        raise InputError(f"the price file {path} has no [models] table")
    return {name: _price(path, name, fields) for name, fields in cast(dict[str, object], models).items()}


def _price(path: Path, name: str, fields: object) -> Price:
    try:
        return msgspec.convert(fields, Price)
    except msgspec.ValidationError as error:
        raise InputError(f"the price file {path} is wrong for '{name}': {error}") from None
