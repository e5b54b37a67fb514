"""The test functions of the management tasks: they look at what a submission left behind, not at its text.

Numbers in them are those of the data under the generator's seed.
"""

LOAD_TEST = '''
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def rows(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "cannot be run: " + sql
            return {tuple(None if cell is None else str(round(float(cell), 2)) if place else cell
                          for place, cell in enumerate(row)) for row in result}
        relation = "SELECT 'base_load', COUNT(*) FROM pg_class WHERE relname = 'base_load' AND relkind = 'v'"
        assert rows(relation) == {("base_load", "1.0")}, "base_load is not a view"
        expected = """SELECT base_name,
            (SELECT COUNT(*) FROM missions m WHERE m.base_id = b.base_id AND kind <> 'false alarm'),
            (SELECT COUNT(*) FROM volunteers v WHERE v.base_id = b.base_id AND left_on IS NULL AND grade <> 'trainee'),
            (SELECT COUNT(*) FROM missions m WHERE m.base_id = b.base_id AND kind <> 'false alarm')::numeric / NULLIF(
            (SELECT COUNT(*) FROM volunteers v WHERE v.base_id = b.base_id AND left_on IS NULL AND grade <> 'trainee'), 0)
            FROM bases b"""
        made = "SELECT base_name, genuine_missions, active_volunteers, load_index FROM base_load"
        assert rows(made) == rows(expected), "base_load shows something else"
        execute_queries(["UPDATE volunteers SET left_on = '2025-04-30' WHERE left_on IS NULL AND base_id < 5"], db_name, conn)
        assert rows(made) == rows(expected), "base_load does not follow the data"
'''

PROMOTED_TEST = """
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def people(condition):
            sql = "SELECT volunteer_id FROM volunteers WHERE " + condition
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "the volunteers cannot be read"
            return sorted(row[0] for row in result)
        promoted = [4, 7, 10, 11, 13, 31, 32, 42, 44, 53, 59, 82, 97, 123]
        trainees = [
            *(15, 19, 23, 25, 34, 46, 57, 61, 62, 63, 67, 70, 72, 73, 74, 76, 79, 84, 85, 86, 92, 98, 100, 105, 106, 109),
            *(111, 112, 115, 118, 119, 120, 121, 124, 127, 129, 135, 143, 151, 153, 160)]
        assert [number for number in promoted if number in people("grade = 'rescuer'")] == promoted, "somebody was forgotten"
        assert people("grade = 'trainee' AND volunteer_id < 9000") == trainees, "the wrong trainees were promoted"
        assert len(people("grade = 'leader'")) == 24, "leaders were changed"
        assert len(people("left_on IS NULL AND volunteer_id < 9000")) == 132, "more than the grade was changed"
        assert people("volunteer_id IN (9001, 9002) AND grade <> 'trainee'") == [], "left, or out for false alarms only"
        assert people("volunteer_id = 9003 AND grade <> 'rescuer'") == [], "somebody was forgotten"
"""

LEADERS_TEST = """
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def people(condition):
            sql = "SELECT volunteer_id FROM volunteers WHERE " + condition
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "the volunteers cannot be read"
            return sorted(row[0] for row in result)
        leaders = [
            *(3, 5, 6, 9, 11, 14, 21, 27, 31, 37, 41, 43, 44, 47, 49, 55, 56, 59, 60, 64, 69, 75, 77, 78, 87, 101, 122),
            *(130, 138, 140, 147, 148, 158)]
        assert people("grade = 'leader'") == leaders, "these are not the leaders there should be"
        assert len(people("grade = 'trainee'")) == 41, "trainees were changed"
"""

CLASS_TEST = '''
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def rows(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "cannot be run: " + sql
            return sorted(tuple(row) for row in result)
        for number, moment in enumerate(("alerted_at + INTERVAL '30 min'", "alerted_at + INTERVAL '60 min'", "NULL"), 1):
            execute_queries([f"UPDATE missions SET reached_at = {moment} WHERE mission_id = {number}"], db_name, conn)
        expected = """SELECT mission_id, CASE WHEN reached_at IS NULL THEN 'unreached'
            WHEN reached_at <= alerted_at + INTERVAL '30 minutes' THEN 'swift'
            WHEN reached_at <= alerted_at + INTERVAL '60 minutes' THEN 'on time' ELSE 'slow' END FROM missions"""
        assert rows("SELECT mission_id, response_class(mission_id)::text FROM missions") == rows(expected), "wrong classes"
        assert rows("SELECT response_class(-1)::text") == [(None,)], "a mission that is not there has no class"
'''

COLUMN_TEST = '''
    def test_case(pred_sqls, sol_sqls, db_name, conn):
        def rows(sql):
            result, error, timeout = execute_queries([sql], db_name, conn)
            assert not error and not timeout, "cannot be run: " + sql
            return sorted(tuple(row) for row in result)
        expected = """SELECT mission_id, CASE WHEN reached_at IS NULL THEN 'unreached'
            WHEN reached_at <= alerted_at + INTERVAL '30 minutes' THEN 'swift'
            WHEN reached_at <= alerted_at + INTERVAL '60 minutes' THEN 'on time' ELSE 'slow' END FROM missions"""
        assert rows("SELECT mission_id, speed::text FROM missions") == rows(expected), "speed is not filled in right"
        result, error, timeout = execute_queries(["UPDATE missions SET speed = 'warp' WHERE mission_id = 5"], db_name, conn)
        conn.rollback()
        assert error, "speed takes a word that is not a class"
        for word in ("swift", "on time", "slow", "unreached"):
            change = f"UPDATE missions SET speed = '{word}' WHERE mission_id = 5"
            result, error, timeout = execute_queries([change], db_name, conn)
            assert not error, "speed does not take the class " + word
'''
