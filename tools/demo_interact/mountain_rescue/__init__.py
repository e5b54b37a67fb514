"""Mountain rescue in seven valleys: bases, volunteers, missions with a JSONB report, equipment checks, snow reports."""

from demo_interact.model import Database
from demo_interact.mountain_rescue.knowledge import KNOWLEDGE
from demo_interact.mountain_rescue.management import MANAGEMENT
from demo_interact.mountain_rescue.operations import OPERATIONS
from demo_interact.mountain_rescue.people import PEOPLE
from demo_interact.mountain_rescue.rows import rows
from demo_interact.mountain_rescue.tables import TABLES

DATABASE = Database("mountain_rescue", TABLES, rows, KNOWLEDGE, (*PEOPLE, *OPERATIONS, *MANAGEMENT))
