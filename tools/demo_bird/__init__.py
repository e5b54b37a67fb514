"""The demo dataset, as a program.

Each database is a folder of three modules: `tables` says what the columns mean (and becomes both the SQL schema
and BIRD's description files), `rows` invents the data, `tasks` asks about it. `model` holds the value types,
`dirt` the ways in which data goes bad, `writing` the file formats.
"""

from demo_bird import bike_repair, clinic_lab, film_festival
from demo_bird.model import Database

DATABASES: tuple[Database, ...] = (bike_repair.DATABASE, clinic_lab.DATABASE, film_festival.DATABASE)

__all__ = ["DATABASES"]
