"""`python -m tests.cheating` prints the table of docs/custody.md."""

from tests.cheating.listing import listing

print(listing())
