"""What one may ask about flights, equipment and snow."""

from demo_interact.model import FollowUp, Hidden, Task, Vague

OPERATIONS = (
    Task(
        ambiguous="What did the helicopter cost us last winter?",
        clear="For each month of the last winter season (2024-11-01 to 2025-04-30, by the time of the alarm), how many "
        "missions had a helicopter and what did the flights cost in total? A flight costs 38.50 per minute in the air and 1.92 "
        "per litre of fuel; fuel that was not noted counts as 0. Give the month as YYYY-MM, the number of flights and the cost "
        "with two decimals, in the order of the months.",
        sql="""
            SELECT TO_CHAR(m.alerted_at, 'YYYY-MM') AS month, COUNT(*) AS flights,
                   ROUND(SUM(38.50 * (m.report->'cost'->>'flight_min')::numeric
                       + 1.92 * COALESCE((m.report->'cost'->>'fuel_l')::numeric, 0)), 2) AS cost
            FROM missions AS m
            WHERE (m.report->>'helicopter')::boolean
              AND m.alerted_at >= DATE '2024-11-01' AND m.alerted_at < DATE '2025-05-01'
            GROUP BY TO_CHAR(m.alerted_at, 'YYYY-MM')
            ORDER BY month
        """,
        knowledge=("Flight Cost (FC)", "Winter Season", "Closing Day"),
        critical=(
            Vague("intent", "What did the helicopter cost us", "GROUP BY TO_CHAR(m.alerted_at, 'YYYY-MM')"),
            Vague(
                "knowledge_linking",
                "last winter",
                "m.alerted_at >= DATE '2024-11-01' AND m.alerted_at < DATE '2025-05-01'",
            ),
        ),
        minor=(
            Vague("date_format", "month", "TO_CHAR(m.alerted_at, 'YYYY-MM')", mask=False),
            Vague("null", "cost", "COALESCE((m.report->'cost'->>'fuel_l')::numeric, 0)", mask=False),
            Vague("sort", "month", "ORDER BY month", mask=False),
        ),
        hidden=(Hidden("Flight Cost (FC)", "38.50 * (m.report->'cost'->>'flight_min')::numeric"),),
        order=True,
        decimal=2,
        high_level=True,
        follow_up=FollowUp(
            "result_based",
            "Which of these months was the dearest per flight? Give the month and the average cost of a flight in it, with two "
            "decimals.",
            """
            SELECT TO_CHAR(m.alerted_at, 'YYYY-MM') AS month,
                   ROUND(AVG(38.50 * (m.report->'cost'->>'flight_min')::numeric
                       + 1.92 * COALESCE((m.report->'cost'->>'fuel_l')::numeric, 0)), 2) AS cost_per_flight
            FROM missions AS m
            WHERE (m.report->>'helicopter')::boolean
              AND m.alerted_at >= DATE '2024-11-01' AND m.alerted_at < DATE '2025-05-01'
            GROUP BY TO_CHAR(m.alerted_at, 'YYYY-MM')
            ORDER BY cost_per_flight DESC
            LIMIT 1
            """,
            ("Flight Cost (FC)", "Winter Season", "Closing Day"),
            decimal=2,
        ),
    ),
    Task(
        ambiguous="Show me per base how much kit is overdue and what it is worth, the most valuable lot at the top.",
        clear="For every base that has overdue items, how many are there and what was paid for them together? An item is "
        "overdue when it is in use and has not passed a check in the 180 days up to 2025-04-30; one that never passed is "
        "overdue too. Give the name of the base, the number of items and the sum of their prices, largest sum first, then by "
        "name.",
        sql="""
            SELECT b.base_name, COUNT(*) AS overdue_items, SUM(e.price) AS worth
            FROM equipment AS e
            JOIN bases AS b ON b.base_id = e.base_id
            WHERE e.retired_on IS NULL
              AND NOT EXISTS (
                SELECT 1 FROM JSONB_ARRAY_ELEMENTS(e.checks) AS c
                WHERE (c->>'passed')::boolean AND (c->>'on')::date >= DATE '2025-04-30' - 180)
            GROUP BY b.base_name
            ORDER BY worth DESC, b.base_name
        """,
        knowledge=("Overdue Item", "Closing Day"),
        critical=(
            Vague(
                "knowledge_linking",
                "overdue",
                "WHERE (c->>'passed')::boolean AND (c->>'on')::date >= DATE '2025-04-30' - 180",
            ),
            Vague("schema_linking", "worth", "SUM(e.price)"),
        ),
        minor=(
            Vague("join", "per base", "JOIN bases AS b ON b.base_id = e.base_id", mask=False),
            Vague("sort", "at the top", "ORDER BY worth DESC, b.base_name", mask=False),
        ),
        hidden=(Hidden("Overdue Item", "(c->>'on')::date >= DATE '2025-04-30' - 180"),),
        order=True,
        decimal=2,
        follow_up=FollowUp(
            "topic_pivot",
            "Let us do something about it: retire everything in use that has not passed a check in the 365 days up to the "
            "closing day 2025-04-30, by setting its retired_on to that day. Leave all else as it is.",
            """
            UPDATE equipment AS e SET retired_on = DATE '2025-04-30'
            WHERE e.retired_on IS NULL
              AND NOT EXISTS (
                SELECT 1 FROM JSONB_ARRAY_ELEMENTS(e.checks) AS c
                WHERE (c->>'passed')::boolean AND (c->>'on')::date >= DATE '2025-04-30' - 365)
            """,
            ("Overdue Item", "Closing Day"),
            tests=(
                '''
                def test_case(pred_sqls, sol_sqls, db_name, conn):
                    passed = """EXISTS (SELECT 1 FROM jsonb_array_elements(checks) AS c
                                WHERE (c->>'passed')::boolean AND (c->>'on')::date >= DATE '2025-04-30' - 365)"""
                    counts = f"""SELECT COUNT(*) FILTER (WHERE retired_on IS NULL AND NOT {passed}),
                                        COUNT(*) FILTER (WHERE retired_on = DATE '2025-04-30' AND {passed}),
                                        COUNT(*) FILTER (WHERE retired_on < DATE '2025-04-30'),
                                        COUNT(*), SUM(price), SUM(jsonb_array_length(checks)) FROM equipment"""
                    result, error, timeout = execute_queries([counts], db_name, conn)
                    assert not error and not timeout, "the equipment cannot be read"
                    missed, wrongly, earlier, items, paid, checks = result[0]
                    assert missed == 0, "an item without a check that passed is still in use"
                    assert wrongly == 0, "an item that passed in time was retired"
                    assert earlier == 14, "items that were retired before have another day now"
                    assert (items, float(paid), checks) == (110, 595640.27, 182), "something else was changed"
                ''',
            ),
        ),
    ),
    Task(
        ambiguous="How often were we called out on bad days? Per valley, please, with the number of such days.",
        clear="For every valley, on how many critical days (a snow report with danger level 4 or more, or 40 cm of new snow or "
        "more) and how many missions did its bases have on those days, by the day of the alarm and leaving out false alarms? "
        "Give valley, number of critical days and number of missions, most missions first, then by valley; valleys without a "
        "mission on such a day belong in the list.",
        sql="""
            SELECT r.valley, COUNT(DISTINCT r.report_id) AS critical_days, COUNT(m.mission_id) AS missions
            FROM snow_reports AS r
            LEFT JOIN (missions AS m JOIN bases AS b ON b.base_id = m.base_id)
              ON b.valley = r.valley AND m.alerted_at::date = r.reported_on AND m.kind <> 'false alarm'
            WHERE r.danger_level >= 4 OR r.new_snow_cm >= 40
            GROUP BY r.valley
            ORDER BY missions DESC, r.valley
        """,
        knowledge=("Critical Day", "snow_reports.danger_level", "Genuine Mission"),
        critical=(
            Vague("knowledge_linking", "bad days", "r.danger_level >= 4 OR r.new_snow_cm >= 40"),
            Vague("schema_linking", "called out", "m.alerted_at::date = r.reported_on AND m.kind <> 'false alarm'"),
        ),
        minor=(
            Vague("join", "Per valley", "LEFT JOIN (missions AS m JOIN bases AS b ON b.base_id = m.base_id)", mask=False),
            Vague("distinct", "number of such days", "COUNT(DISTINCT r.report_id)", mask=False),
        ),
        hidden=(Hidden("Critical Day", "r.danger_level >= 4 OR r.new_snow_cm >= 40"),),
        order=True,
        high_level=True,
        follow_up=FollowUp(
            "attribute_change",
            "Leave the missions aside and describe those days: for each valley the average new snow in centimetres with one "
            "decimal, over the critical days on which it was measured, and the lowest temperature at noon, by valley.",
            """
            SELECT r.valley, ROUND(AVG(r.new_snow_cm), 1) AS avg_new_snow, MIN(r.temperatures[2]) AS coldest_noon
            FROM snow_reports AS r
            WHERE r.danger_level >= 4 OR r.new_snow_cm >= 40
            GROUP BY r.valley
            ORDER BY r.valley
            """,
            ("Critical Day", "snow_reports.danger_level"),
            order=True,
            decimal=1,
        ),
    ),
)
