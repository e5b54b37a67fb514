"""A hospital laboratory: results as text, repeated runs, codes without their zeros, analysers that disagree on dates."""

from demo_bird.clinic_lab.rows import rows
from demo_bird.clinic_lab.tables import TABLES
from demo_bird.clinic_lab.tasks import TASKS
from demo_bird.model import Database

DATABASE = Database(name="clinic_lab", first_id=201, tables=TABLES, rows=rows, tasks=TASKS)
