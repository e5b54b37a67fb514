"""What one may ask about shipments and curators."""

from demo_interact.model import FollowUp, Hidden, Task, Vague

SERVICE = (
    Task(
        ambiguous="Which institutes came to us with urgent research or restoration requests in late 2023? With their country.",
        clear="Which institutes made an urgent request for research or an urgent request for restoration in the second half of "
        "2023, by the day of the request? Give each institute once, with its country.",
        sql="""
            SELECT DISTINCT s.institute, s.country
            FROM shipments AS s
            WHERE s.urgent AND s.purpose IN ('research', 'restoration')
              AND s.requested_on >= DATE '2023-07-01' AND s.requested_on < DATE '2024-01-01'
        """,
        knowledge=("shipments.purpose",),
        critical=(
            Vague(
                "syntactic",
                "urgent research or restoration requests",
                "s.urgent AND s.purpose IN ('research', 'restoration')",
            ),
            Vague(
                "schema_linking",
                "late 2023",
                "s.requested_on >= DATE '2023-07-01' AND s.requested_on < DATE '2024-01-01'",
            ),
        ),
        minor=(Vague("distinct", "Which institutes", "SELECT DISTINCT s.institute, s.country", mask=False),),
        distinct=True,
        follow_up=FollowUp(
            "topic_pivot",
            "Something else: how long do they wait? For each country the average days from request to dispatch over all "
            "shipments that have left, in any year, with one decimal, longest wait first.",
            """
            SELECT s.country, ROUND(AVG(s.shipped_on - s.requested_on), 1) AS avg_days
            FROM shipments AS s
            WHERE s.shipped_on IS NOT NULL
            GROUP BY s.country
            ORDER BY avg_days DESC
            """,
            ("Turnaround Time (TT)",),
            order=True,
            decimal=1,
        ),
    ),
    Task(
        ambiguous="Give me an overview of our curators and what is on their desks.",
        clear="For every curator who is still employed, what is the Curator Load, the number of active accessions plus three "
        "times the number of those in quarantine? Give name and load, highest load first, then by name; curators with nothing "
        "to look after have a load of 0.",
        sql="""
            SELECT c.curator_name,
                   COUNT(*) FILTER (WHERE a.status = 'active') + 3 * COUNT(*) FILTER (WHERE a.status = 'quarantine') AS load
            FROM curators AS c
            LEFT JOIN accessions AS a ON a.curator_id = c.curator_id
            WHERE c.left_on IS NULL
            GROUP BY c.curator_id, c.curator_name
            ORDER BY load DESC, c.curator_name
        """,
        knowledge=("Curator Load (CL)", "accessions.status"),
        critical=(
            Vague(
                "intent",
                "what is on their desks",
                "COUNT(*) FILTER (WHERE a.status = 'active') + 3 * COUNT(*) FILTER (WHERE a.status = 'quarantine') AS load",
            ),
            Vague("semantic", "our curators", "c.left_on IS NULL"),
        ),
        minor=(
            Vague("join", "overview of our curators", "LEFT JOIN accessions AS a ON a.curator_id = c.curator_id", mask=False),
            Vague("sort", "overview", "ORDER BY load DESC, c.curator_name", mask=False),
        ),
        hidden=(Hidden("Curator Load (CL)", "+ 3 * COUNT(*) FILTER (WHERE a.status = 'quarantine')"),),
        order=True,
        high_level=True,
        follow_up=FollowUp(
            "result_based",
            "For the one at the top of that list: from which countries are the accessions in his or her care, of whatever "
            "status, and how many from each? Most first, then by country.",
            """
            WITH loads AS (
                SELECT c.curator_id, c.curator_name,
                       COUNT(*) FILTER (WHERE a.status = 'active') + 3 * COUNT(*) FILTER (WHERE a.status = 'quarantine') AS load
                FROM curators AS c
                JOIN accessions AS a ON a.curator_id = c.curator_id
                WHERE c.left_on IS NULL
                GROUP BY c.curator_id, c.curator_name
                ORDER BY load DESC, c.curator_name
                LIMIT 1
            )
            SELECT a.country, COUNT(*) AS accessions
            FROM accessions AS a
            JOIN loads AS l ON l.curator_id = a.curator_id
            GROUP BY a.country
            ORDER BY accessions DESC, a.country
            """,
            ("Curator Load (CL)", "accessions.status"),
            order=True,
        ),
    ),
)
