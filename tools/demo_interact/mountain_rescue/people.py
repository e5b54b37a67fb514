"""What one may ask about the bases and the people of the rescue service."""

from demo_interact.model import FollowUp, Hidden, Task, Vague

PEOPLE = (
    Task(
        ambiguous="How quickly do our bases get there? I only care about proper call-outs. Give me each base and its average, "
        "slowest first.",
        clear="For every base, what is the average response time, in minutes from the alarm to the team reaching the place, "
        "over missions that were not false alarms and in which the team got there? Give the name of the base and the average "
        "with two decimals, slowest base first, bases with the same average by name.",
        sql="""
            SELECT b.base_name,
                   ROUND(AVG(EXTRACT(EPOCH FROM m.reached_at - m.alerted_at) / 60), 2) AS avg_minutes
            FROM missions AS m
            JOIN bases AS b ON b.base_id = m.base_id
            WHERE m.kind <> 'false alarm' AND m.reached_at IS NOT NULL
            GROUP BY b.base_name
            ORDER BY avg_minutes DESC, b.base_name
        """,
        knowledge=("Response Time (RT)", "Genuine Mission"),
        critical=(
            Vague("knowledge_linking", "How quickly", "EXTRACT(EPOCH FROM m.reached_at - m.alerted_at) / 60"),
            Vague("semantic", "proper call-outs", "m.kind <> 'false alarm'"),
        ),
        minor=(
            Vague("decimal", "average", "ROUND(AVG(EXTRACT(EPOCH FROM m.reached_at - m.alerted_at) / 60), 2)", mask=False),
            Vague("sort", "slowest first", "ORDER BY avg_minutes DESC, b.base_name", mask=False),
        ),
        hidden=(Hidden("Response Time (RT)", "EXTRACT(EPOCH FROM m.reached_at - m.alerted_at) / 60"),),
        order=True,
        decimal=2,
        follow_up=FollowUp(
            "aggregation",
            "Instead of the bases, show the valleys: the name of each valley and the median response time in minutes of the "
            "same missions, to two decimals, by name of the valley.",
            """
            SELECT b.valley,
                   ROUND(PERCENTILE_CONT(0.5) WITHIN GROUP (
                       ORDER BY EXTRACT(EPOCH FROM m.reached_at - m.alerted_at) / 60)::numeric, 2) AS median_minutes
            FROM missions AS m
            JOIN bases AS b ON b.base_id = m.base_id
            WHERE m.kind <> 'false alarm' AND m.reached_at IS NOT NULL
            GROUP BY b.valley
            ORDER BY b.valley
            """,
            ("Response Time (RT)", "Genuine Mission"),
            order=True,
            decimal=2,
        ),
    ),
    Task(
        ambiguous="Who are the best people we can call on? Give me the names with their grade and score, ten will do.",
        clear="Which ten active volunteers (not left, not trainees) have the highest Readiness Score, 0.7 times the fitness "
        "plus 3 for every year of service up to ten years, counted in days to 2025-04-30 over 365.25? Leave out those without "
        "a fitness test. Give name, grade and the score with two decimals, highest first, equal scores by name.",
        sql="""
            SELECT v.full_name, v.grade,
                   ROUND(0.7 * v.fitness + 3 * LEAST((DATE '2025-04-30' - v.joined_on) / 365.25, 10), 2) AS readiness
            FROM volunteers AS v
            WHERE v.left_on IS NULL AND v.grade <> 'trainee' AND v.fitness IS NOT NULL
            ORDER BY readiness DESC, v.full_name
            LIMIT 10
        """,
        knowledge=("Active Volunteer", "Closing Day", "Years of Service (YS)", "Readiness Score (RS)"),
        critical=(
            Vague(
                "knowledge_linking",
                "best people",
                "0.7 * v.fitness + 3 * LEAST((DATE '2025-04-30' - v.joined_on) / 365.25, 10)",
            ),
            Vague("semantic", "can call on", "v.left_on IS NULL AND v.grade <> 'trainee'"),
        ),
        minor=(
            Vague("null", "score", "v.fitness IS NOT NULL", mask=False),
            Vague("rank", "ten will do", "LIMIT 10", mask=False),
        ),
        hidden=(Hidden("Years of Service (YS)", "(DATE '2025-04-30' - v.joined_on) / 365.25"),),
        order=True,
        decimal=2,
        follow_up=FollowUp(
            "constraint_change",
            "Now keep only the ones in the Avalanche Team, those with both the 'transceiver' and the 'dog handling' skill, and "
            "do not stop at ten: list all of them, with the same columns and in the same order.",
            """
            SELECT v.full_name, v.grade,
                   ROUND(0.7 * v.fitness + 3 * LEAST((DATE '2025-04-30' - v.joined_on) / 365.25, 10), 2) AS readiness
            FROM volunteers AS v
            WHERE v.left_on IS NULL AND v.grade <> 'trainee' AND v.fitness IS NOT NULL
              AND v.skills @> ARRAY['transceiver', 'dog handling']
            ORDER BY readiness DESC, v.full_name
            """,
            ("Active Volunteer", "Closing Day", "Years of Service (YS)", "Readiness Score (RS)", "Avalanche Team"),
            order=True,
            decimal=2,
        ),
    ),
    Task(
        ambiguous="I need the bases that have a helipad or speak French above 1500 metres, with their valley and number.",
        clear="Which bases lie above 1500 metres and have a helipad or a crew that speaks French? Both kinds must lie above "
        "1500 metres. Give the name of the base, its valley and its radio channel.",
        sql="""
            SELECT b.base_name, b.valley, b.contact->'radio'->>'channel' AS channel
            FROM bases AS b
            WHERE (b.has_helipad OR b.contact->'languages' @> '["fr"]') AND b.altitude_m > 1500
        """,
        critical=(
            Vague(
                "syntactic",
                "a helipad or speak French above 1500 metres",
                """(b.has_helipad OR b.contact->'languages' @> '["fr"]') AND b.altitude_m > 1500""",
            ),
            Vague("lexical", "number", "b.contact->'radio'->>'channel'"),
        ),
        follow_up=FollowUp(
            "attribute_change",
            "For the same bases I now want the phone number instead of the channel, and the day the base was opened, written "
            "like 31.12.1999. So: name, valley, phone, opening day; leave empty what is not known.",
            """
            SELECT b.base_name, b.valley, b.contact->>'phone' AS phone, TO_CHAR(b.opened_on, 'DD.MM.YYYY') AS opened
            FROM bases AS b
            WHERE (b.has_helipad OR b.contact->'languages' @> '["fr"]') AND b.altitude_m > 1500
            """,
        ),
    ),
)
