"""What one may ask the film festival."""

from demo_bird.model import Task

TASKS = (
    Task("simple", "How many films are in the programme?", "", "SELECT COUNT(*) FROM films"),
    Task("simple", "How many seats does the largest venue have?", "", "SELECT MAX(seats) FROM venues"),
    Task(
        "simple",
        "How many different people sat on the jury?",
        "",
        "SELECT COUNT(DISTINCT juror) FROM jury_scores",
    ),
    Task(
        "simple",
        "How many films were made in France, alone or together with other countries?",
        "country lists all countries, separated by ' / ', and is typed in any case: it contains France if "
        "country LIKE '%France%'",
        "SELECT COUNT(*) FROM films WHERE country LIKE '%France%'",
    ),
    Task(
        "moderate",
        "On the first weekend, 14 and 15 September 2024, how many screenings started before noon?",
        "date is written like 2024-09-14 or like 14 Sep 2024; time is text such as 9:30 or 20:45; "
        "before noon refers to an hour below 12",
        """
        SELECT COUNT(*)
        FROM screenings
        WHERE "date" IN ('2024-09-14', '14 Sep 2024', '2024-09-15', '15 Sep 2024') AND CAST("time" AS INTEGER) < 12
        """,
    ),
    Task(
        "moderate",
        "Among the competition films longer than 100 minutes, which one has the best average score from the jury? "
        "Give its title and the average, rounded to two decimals.",
        "competition refers to section = 'Competition'; runtime is text such as '97' or '104 min'; scores go from 1 to "
        "10, and a score of 0 or NULL means that the juror abstained and does not count",
        """
        SELECT f.title, ROUND(AVG(j.score), 2)
        FROM films AS f
        JOIN jury_scores AS j ON j.film_id = f.film_id
        WHERE f.section = 'Competition' AND CAST(f.runtime AS INTEGER) > 100 AND j.score > 0
        GROUP BY f.film_id
        ORDER BY AVG(j.score) DESC
        LIMIT 1
        """,
    ),
    Task(
        "moderate",
        "Which films of the programme were never shown? Give their titles.",
        "film_id of a screening is NULL for a surprise screening",
        """
        SELECT f.title
        FROM films AS f
        WHERE NOT EXISTS (SELECT 1 FROM screenings AS s WHERE s.film_id = f.film_id)
        """,
    ),
    Task(
        "moderate",
        "How much money did the concession tickets sold online bring in, net of returns?",
        "online is also called web in channel, which is typed in any case and may end in a blank; returned tickets "
        "have negative amounts",
        """
        SELECT SUM(amount)
        FROM sales
        WHERE category = 'concession' AND LOWER(TRIM(channel)) IN ('online', 'web')
        """,
    ),
    Task(
        "challenging",
        "How full was each venue over the whole festival? For every venue with fixed seats, give its name and the "
        "percentage of all seats on offer that were sold, to one decimal.",
        "seats on offer = seats * number of screenings in the venue, also of those that sold nothing; sold refers to "
        "SUM(tickets), in which returned tickets are negative; a venue without fixed seats has seats NULL; a screening "
        "has many rows in sales",
        """
        WITH sold AS (SELECT screening_id, SUM(tickets) AS tickets FROM sales GROUP BY screening_id)
        SELECT v.name, ROUND(100.0 * SUM(COALESCE(sold.tickets, 0)) / SUM(v.seats), 1)
        FROM venues AS v
        JOIN screenings AS s ON s.venue_id = v.venue_id
        LEFT JOIN sold ON sold.screening_id = s.screening_id
        WHERE v.seats IS NOT NULL
        GROUP BY v.venue_id
        """,
    ),
    Task(
        "challenging",
        "What was the audience's favourite in each section? Name the section, the film that sold the most tickets in "
        "it, and how many those were, returns deducted.",
        "number of tickets sold = SUM(tickets) over all screenings of the film, in which returned tickets are "
        "negative; special events have no section (NULL) and are left out",
        """
        WITH sold AS (
          SELECT f.section, f.title, SUM(x.tickets) AS tickets
          FROM films AS f
          JOIN screenings AS s ON s.film_id = f.film_id
          JOIN sales AS x ON x.screening_id = s.screening_id
          WHERE f.section IS NOT NULL
          GROUP BY f.film_id
        ),
        ranked AS (
          SELECT section, title, tickets, RANK() OVER (PARTITION BY section ORDER BY tickets DESC) AS place FROM sold
        )
        SELECT section, title, tickets FROM ranked WHERE place = 1
        """,
    ),
)
