"""A chain of bicycle repair shops: hand-typed statuses, customers registered twice, two date formats, refunds."""

from demo_bird.bike_repair.rows import rows
from demo_bird.bike_repair.tables import TABLES
from demo_bird.bike_repair.tasks import TASKS
from demo_bird.model import Database

DATABASE = Database(name="bike_repair", first_id=101, tables=TABLES, rows=rows, tasks=TASKS)
