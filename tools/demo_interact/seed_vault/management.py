"""What one may have done to the database of the seed bank."""

from demo_interact.model import FollowUp, Hidden, Task, Vague
from demo_interact.seed_vault.hidden_tests import GUARD_TEST, ITEMS_TEST, PLAN_TEST, REFRESH_TEST, VIABILITY_TEST

MANAGEMENT = (
    Task(
        ambiguous="Build current_viability for me, stored and not worked out again each time: accession_no, tested_on and "
        "viability, how alive the seed is by its last test.",
        clear="Create a materialized view current_viability with accession_no, tested_on and viability for every accession "
        "with a finished test (with an end date) in which seed was sown: the start day and the germination rate in per cent "
        "(counts above sown taken as sown) of the one that started last, of several the one with the highest test_id.",
        sql="""
            CREATE MATERIALIZED VIEW current_viability AS
            SELECT latest.accession_no, latest.started_on AS tested_on,
                   100.0 * LEAST(latest.germinated, latest.sown) / latest.sown AS viability
            FROM (
                SELECT t.*, ROW_NUMBER() OVER (PARTITION BY t.accession_no ORDER BY t.started_on DESC, t.test_id DESC) AS place
                FROM germination_tests AS t
                WHERE t.ended_on IS NOT NULL AND t.sown > 0
            ) AS latest
            WHERE latest.place = 1
        """,
        knowledge=("Current Viability (CV)", "Germination Rate (GR)", "Finished Test"),
        critical=(
            Vague("intent", "stored and not worked out again each time", "CREATE MATERIALIZED VIEW current_viability AS"),
            Vague("knowledge_linking", "how alive the seed is", "100.0 * LEAST(latest.germinated, latest.sown) / latest.sown"),
            Vague("schema_linking", "last test", "ORDER BY t.started_on DESC, t.test_id DESC"),
        ),
        minor=(Vague("divide_zero", "viability", "t.sown > 0", mask=False),),
        hidden=(Hidden("Finished Test", "t.ended_on IS NOT NULL"),),
        tests=(VIABILITY_TEST,),
        follow_up=FollowUp(
            "constraint_change",
            "We want to refresh it while others read from it. Give it what REFRESH MATERIALIZED VIEW CONCURRENTLY needs: a "
            "unique index on accession_no.",
            "CREATE UNIQUE INDEX current_viability_accession_no_key ON current_viability (accession_no)",
            ("Current Viability (CV)",),
            tests=(REFRESH_TEST,),
        ),
    ),
    Task(
        ambiguous="Draw up a table regeneration_plan (accession_no, reason) of everything that must be grown again.",
        clear="Create a table regeneration_plan with accession_no and reason and fill it with the active accessions whose "
        "current viability (rate of the latest finished test in which seed was sown, by start, then test_id) is below 62.5 "
        "('viability'), whose seed_count is below 500 ('stock'), or both ('both'). What is not known is not a reason.",
        sql="""
            CREATE TABLE regeneration_plan (accession_no text PRIMARY KEY, reason text NOT NULL);
            INSERT INTO regeneration_plan (accession_no, reason)
            SELECT a.accession_no,
                   CASE WHEN t.rate < 62.5 AND a.seed_count < 500 THEN 'both'
                       WHEN t.rate < 62.5 THEN 'viability' ELSE 'stock' END
            FROM accessions AS a
            LEFT JOIN (
                SELECT g.accession_no, 100.0 * LEAST(g.germinated, g.sown) / g.sown AS rate,
                       ROW_NUMBER() OVER (PARTITION BY g.accession_no ORDER BY g.started_on DESC, g.test_id DESC) AS place
                FROM germination_tests AS g
                WHERE g.ended_on IS NOT NULL AND g.sown > 0
            ) AS t ON t.accession_no = a.accession_no AND t.place = 1
            WHERE a.status = 'active' AND (t.rate < 62.5 OR a.seed_count < 500)
        """,
        knowledge=("Regeneration Rule", "Current Viability (CV)", "Germination Rate (GR)", "Finished Test"),
        critical=(
            Vague("knowledge_linking", "must be grown again", "(t.rate < 62.5 OR a.seed_count < 500)"),
            Vague("lexical", "reason", "CASE WHEN t.rate < 62.5 AND a.seed_count < 500 THEN 'both'"),
            Vague("semantic", "everything", "a.status = 'active'"),
        ),
        minor=(Vague("join", "everything", "FROM accessions AS a LEFT JOIN (", mask=False),),
        hidden=(Hidden("Regeneration Rule", "a.status = 'active' AND (t.rate < 62.5 OR a.seed_count < 500)"),),
        tests=(PLAN_TEST,),
        # An accession that sits on both limits exactly: it is not to be grown again.
        before=(
            """
            INSERT INTO accessions
                (accession_no, species_id, status, country, received_at, seed_count, thousand_seed_g, passport)
            VALUES ('SV-9001', 1, 'active', 'Norway', '2024-01-01 10:00', 500, 1.000, '{"permits": []}')
            """,
            """
            INSERT INTO germination_tests (test_id, accession_no, started_on, ended_on, sown, germinated, substrate)
            VALUES (9001, 'SV-9001', '2024-02-01', '2024-03-01', 40, 25, 'agar')
            """,
        ),
        after=(
            "DELETE FROM germination_tests WHERE accession_no = 'SV-9001'",
            "DELETE FROM accessions WHERE accession_no = 'SV-9001'",
        ),
        high_level=True,
        follow_up=FollowUp(
            "aggregation",
            "Sum that plan up by family and reason: family, reason and the number of accessions, by family, then reason.",
            """
            SELECT s.family, p.reason, COUNT(*) AS accessions
            FROM regeneration_plan AS p
            JOIN accessions AS a ON a.accession_no = p.accession_no
            JOIN species AS s ON s.species_id = a.species_id
            GROUP BY s.family, p.reason
            ORDER BY s.family, p.reason
            """,
            ("Regeneration Rule",),
            order=True,
        ),
    ),
    Task(
        ambiguous="Some germination counts cannot be right. Clean that up and make sure it does not happen again.",
        clear="Where more seeds germinated than were sown, set germinated to sown, without deleting any test. Then add a check "
        "constraint germinated_within_sown to germination_tests that keeps germinated from being above sown.",
        sql="""
            UPDATE germination_tests SET germinated = sown WHERE germinated > sown;
            ALTER TABLE germination_tests ADD CONSTRAINT germinated_within_sown CHECK (germinated <= sown)
        """,
        knowledge=("Count Correction", "Germination Rate (GR)"),
        critical=(
            Vague("semantic", "cannot be right", "WHERE germinated > sown"),
            Vague("knowledge_linking", "Clean that up", "SET germinated = sown"),
            Vague("intent", "make sure it does not happen again", "CHECK (germinated <= sown)"),
        ),
        hidden=(Hidden("Count Correction", "SET germinated = sown WHERE germinated > sown"),),
        tests=(GUARD_TEST,),
        follow_up=FollowUp(
            "attribute_change",
            "Do something of the kind for shipment_items: packets must be at least 1 and is 1 when nothing is said, and seeds "
            "must be at least 1 but may still be NULL.",
            """
            ALTER TABLE shipment_items ALTER COLUMN packets SET DEFAULT 1;
            ALTER TABLE shipment_items ADD CONSTRAINT packets_positive CHECK (packets >= 1);
            ALTER TABLE shipment_items ADD CONSTRAINT seeds_positive CHECK (seeds >= 1)
            """,
            tests=(ITEMS_TEST,),
        ),
    ),
)
