"""What a call costs, and when nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from touchstone.errors import InputError
from touchstone.models.prices import price_of, user_price
from touchstone.types import Usage

USAGE = Usage(1, 1_000_000, 400_000, 100_000)


@pytest.fixture(autouse=True)
def _no_file_of_the_user(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TOUCHSTONE_PRICES", raising=False)


def cost(model: str, tier: str | None = None, base_url: str | None = None) -> float | None:
    price = price_of(model, base_url)
    return price and price.cost(USAGE, tier)


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("gpt-5", 0.6 * 1.25 + 0.4 * 0.125 + 0.1 * 10),
        ("gpt-5-mini", 0.6 * 0.25 + 0.4 * 0.025 + 0.1 * 2),
        ("gpt-5-mini-2025-08-07", 0.6 * 0.25 + 0.4 * 0.025 + 0.1 * 2),
        ("gpt-4.1-nano-2025-04-14", 0.6 * 0.1 + 0.4 * 0.025 + 0.1 * 0.4),
        ("o4-mini", 0.6 * 1.1 + 0.4 * 0.275 + 0.1 * 4.4),
    ],
)
def test_known_models_and_their_snapshots(model: str, expected: float) -> None:
    assert cost(model) == pytest.approx(expected)


@pytest.mark.parametrize("model", ["gpt-5-pro", "gpt-5-pro-2025-10-06", "gpt-55", "gpt-5.1", "gpt-5-", "o3-pro", "x", ""])
def test_what_is_only_called_alike_has_no_known_price(model: str) -> None:
    assert cost(model) is None


def test_tiers() -> None:
    full = cost("gpt-5")
    assert full is not None
    assert cost("gpt-5", "flex") == pytest.approx(full / 2)
    assert cost("gpt-5", "default") == full
    assert cost("gpt-5", "priority") is None
    assert cost("gpt-4.1", "flex") is None


@pytest.mark.parametrize(
    ("url", "known"),
    [
        ("https://api.openai.com/v1", True),
        ("https://eu.api.openai.com/v1", True),
        ("http://127.0.0.1:8000/v1", False),
        ("https://api.openai.com.example.org/v1", False),
    ],
)
def test_our_prices_hold_at_openai_only(url: str, known: bool) -> None:
    assert (cost("gpt-5", base_url=url) is not None) is known


def test_a_users_file_extends_and_replaces(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[models]\n"Qwen/Qwen3-8B" = { input = 0.1, output = 0.2 }\n"gpt-5" = { input = 1, output = 2 }\n')
    monkeypatch.setenv("TOUCHSTONE_PRICES", str(file))
    assert cost("Qwen/Qwen3-8B", base_url="http://127.0.0.1/v1") == pytest.approx(0.1 + 0.02)
    assert cost("gpt-5") == pytest.approx(1 + 0.2)
    assert cost("gpt-5-mini") is not None
    assert user_price("gpt-5-mini") is None


@pytest.mark.parametrize(
    ("content", "hint"),
    [
        ("not toml", "TOML"),
        ("[other]\n", r"\[models\]"),
        ("models = 3\n", r"\[models\]"),
        ('[models]\nmine = { input = "dear", output = 1 }\n', r"'mine'.*\.input"),
        ("[models]\nmine = { input = -1, output = 1 }\n", r"'mine'.*\.input"),
        ("[models]\nmine = { input = 1 }\n", "'mine'.*output"),
        ("[models]\nmine = { input = 1, output = 1, outptu = 1 }\n", "'mine'.*outptu"),
        ("[models]\nmine = 3\n", "'mine'"),
    ],
)
def test_a_bad_file_is_named_with_its_field(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str, hint: str) -> None:
    file = tmp_path / "prices.toml"
    file.write_text(content)
    monkeypatch.setenv("TOUCHSTONE_PRICES", str(file))
    with pytest.raises(InputError, match=hint) as caught:
        price_of("mine")
    assert str(file) in str(caught.value)


def test_a_missing_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOUCHSTONE_PRICES", str(tmp_path / "none.toml"))
    with pytest.raises(InputError, match=r"none\.toml"):
        price_of("mine")
