"""The demo dataset for BIRD-Interact, as a program.

Each database is a folder: `tables` says what the columns are and mean (and becomes the dumps, the schema text and the
column meanings), `rows` invents the data, `knowledge` holds the rules of the house, and the rest are tasks.
`model` has the value types, `postgres` PostgreSQL's text forms, `dumps` the form of pg_dump, `writing` the files.
"""

from demo_interact import mountain_rescue, seed_vault
from demo_interact.model import Database

DATABASES: tuple[Database, ...] = (mountain_rescue.DATABASE, seed_vault.DATABASE)

__all__ = ["DATABASES"]
