"""The test functions of the management tasks: they look at what a submission left behind, not at its text.

Numbers in them are those of the data under the generator's seed.
"""

VIABILITY_TEST = '''
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def rows(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "cannot be run: " + sql
            return sorted((row[0], str(row[1]), round(float(row[2]), 2)) for row in result)
        stored, error, timeout = execute_queries(
            ["SELECT COUNT(*) FROM pg_class WHERE relname = 'current_viability' AND relkind = 'm'"], db_name, conn)
        assert not error and stored[0][0] == 1, "current_viability is not a materialized view"
        expected = """SELECT t.accession_no, t.started_on, 100.0 * LEAST(t.germinated, t.sown) / t.sown
            FROM germination_tests t WHERE t.ended_on IS NOT NULL AND t.sown > 0 AND NOT EXISTS (
                SELECT 1 FROM germination_tests u WHERE u.accession_no = t.accession_no AND u.ended_on IS NOT NULL
                AND u.sown > 0 AND (u.started_on, u.test_id) > (t.started_on, t.test_id))"""
        made = "SELECT accession_no, tested_on, viability FROM current_viability"
        assert rows(made) == rows(expected), "current_viability holds something else"
        execute_queries(["UPDATE germination_tests SET germinated = 0 WHERE germinated > 20"], db_name, conn)
        execute_queries(["REFRESH MATERIALIZED VIEW current_viability"], db_name, conn)
        assert rows(made) == rows(expected), "current_viability does not follow the data when it is refreshed"
'''

REFRESH_TEST = '''
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def run(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "cannot be run: " + sql
            return result
        unique = """SELECT COUNT(*) FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
            WHERE i.indrelid = 'current_viability'::regclass AND i.indisunique AND i.indnkeyatts = 1 AND i.indpred IS NULL
            AND a.attname = 'accession_no'"""
        assert run(unique)[0][0] >= 1, "there is no unique index on accession_no"
        before = run("SELECT COUNT(*) FROM current_viability")[0][0]
        run("DELETE FROM germination_tests WHERE test_id % 2 = 0")
        run("REFRESH MATERIALIZED VIEW CONCURRENTLY current_viability")
        assert 0 < run("SELECT COUNT(*) FROM current_viability")[0][0] < before, "it was not refreshed"
'''

PLAN_TEST = '''
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def rows(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "cannot be run: " + sql
            return sorted(tuple(row) for row in result)
        kind = rows("SELECT relkind::text FROM pg_class WHERE relname = 'regeneration_plan'")
        assert kind == [("r",)], "regeneration_plan is not a table"
        expected = """WITH v AS (SELECT accession_no, (SELECT 100.0 * LEAST(germinated, sown) / sown FROM germination_tests t
                WHERE t.accession_no = a.accession_no AND ended_on IS NOT NULL AND sown > 0
                ORDER BY started_on DESC, test_id DESC LIMIT 1) < 62.5 AS faded, seed_count < 500 AS short
                FROM accessions a WHERE status = 'active')
            SELECT accession_no, CASE WHEN faded AND short THEN 'both' WHEN faded THEN 'viability' ELSE 'stock' END
            FROM v WHERE faded OR short"""
        assert rows("SELECT accession_no, reason::text FROM regeneration_plan") == rows(expected), "not the right accessions"
        kept = rows("SELECT COUNT(*) FROM accessions WHERE accession_no < 'SV-9000'")
        assert kept == [(230,)], "accessions are gone"
'''

GUARD_TEST = """
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def number(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "cannot be run: " + sql
            return int(result[0][0])
        def refused(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            conn.rollback()
            return error
        assert number("SELECT COUNT(*) FROM germination_tests") == 340, "tests were deleted or added"
        assert number("SELECT COUNT(*) FROM germination_tests WHERE germinated > sown") == 0, "a wrong count is still there"
        assert number("SELECT SUM(sown) FROM germination_tests") == 17170, "sown was changed"
        assert number("SELECT SUM(germinated) FROM germination_tests") == 11585, "the counts were corrected differently"
        start = "INSERT INTO germination_tests (accession_no, started_on, sown, germinated, substrate) VALUES ('SV-0001', "
        assert refused(start + "'2025-03-01', 50, 51, 'agar')"), "a count above sown is still taken"
        assert refused("UPDATE germination_tests SET germinated = sown + 1 WHERE test_id = 7"), "it can be changed to be wrong"
        assert not refused(start + "'2025-03-01', 50, 50, 'agar')"), "a right count is refused"
"""

ITEMS_TEST = """
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def refused(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            if error:
                conn.rollback()
            return error
        item = "INSERT INTO shipment_items (shipment_id, accession_no, packets, seeds) VALUES (1, 'SV-0001', "
        assert refused(item + "0, 50)"), "no packets at all are still taken"
        assert refused(item + "-2, 50)"), "a negative number of packets is still taken"
        assert refused(item + "1, 0)"), "no seeds at all are still taken"
        assert refused(item + "NULL, 50)"), "packets may be left out as NULL"
        short = "INSERT INTO shipment_items (shipment_id, accession_no, seeds) VALUES (1, 'SV-0001', NULL)"
        assert not refused(short), "an item without packets and seeds is refused"
        where = "WHERE shipment_id = 1 AND accession_no = 'SV-0001'"
        result, error, timeout = execute_queries(["SELECT packets, seeds FROM shipment_items " + where], db_name, conn)
        assert [tuple(row) for row in result] == [(1, None)], "packets is not 1 when nothing is said"
"""
