"""Which predicted column is probably which golden one, before anything is compared at length."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence


def guesses(
    gold: Sequence[str], predicted: Sequence[str], may_be: Callable[[int, int], bool], looks_like: Callable[[int, int], bool]
) -> Iterator[list[int]]:
    """For each golden column a predicted one of its own: by names, then, if it is another guess, by looks."""
    by_name = _assigned(
        gold, predicted, lambda place, other: _same_name(gold[place], predicted[other]) and may_be(place, other)
    )
    if by_name:
        yield by_name
    by_looks = _assigned(gold, predicted, lambda place, other: may_be(place, other) and looks_like(place, other))
    if by_looks and by_looks != by_name:
        yield by_looks


def _assigned(gold: Sequence[str], predicted: Sequence[str], fits: Callable[[int, int], bool]) -> list[int] | None:
    chosen: dict[int, None] = {}
    for place in range(len(gold)):
        other = next((other for other in range(len(predicted)) if other not in chosen and fits(place, other)), None)
        if other is None:
            return None
        chosen[other] = None
    return list(chosen)


def _same_name(gold: str, predicted: str) -> bool:
    return gold.casefold() == predicted.casefold()
