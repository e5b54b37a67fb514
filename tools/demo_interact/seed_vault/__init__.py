"""A seed bank: species, accessions with a JSONB passport, germination tests, storage vaults, shipments, curators."""

from demo_interact.model import Database
from demo_interact.seed_vault.knowledge import KNOWLEDGE
from demo_interact.seed_vault.management import MANAGEMENT
from demo_interact.seed_vault.rows import rows
from demo_interact.seed_vault.seed import SEED
from demo_interact.seed_vault.service import SERVICE
from demo_interact.seed_vault.tables import TABLES

DATABASE = Database("seed_vault", TABLES, rows, KNOWLEDGE, (*SEED, *SERVICE, *MANAGEMENT))
