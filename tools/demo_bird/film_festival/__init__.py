"""A film festival: co-productions, returned tickets, abstaining jurors, surprise screenings without a film."""

from demo_bird.film_festival.rows import rows
from demo_bird.film_festival.tables import TABLES
from demo_bird.film_festival.tasks import TASKS
from demo_bird.model import Database

DATABASE = Database(name="film_festival", first_id=301, tables=TABLES, rows=rows, tasks=TASKS)
