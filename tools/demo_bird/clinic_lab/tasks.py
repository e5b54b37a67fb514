"""What one may ask the laboratory."""

from demo_bird.model import Task

TASKS = (
    Task("simple", "How many patients does the laboratory have on file?", "", "SELECT COUNT(*) FROM patients"),
    Task("simple", "When was the most recent sample taken?", "", "SELECT MAX(taken_at) FROM samples"),
    Task(
        "simple",
        "Which tests belong to the group Lipids? Give their names.",
        "name refers to `test name`; group is a keyword of SQL and has to be quoted",
        """
        SELECT "test name" FROM tests WHERE "group" = 'Lipids'
        """,
    ),
    Task(
        "simple",
        "How many patients live in a postcode area that begins with 01?",
        "postcodes have five digits, but an import dropped the leading zero of some: 1067 stands for 01067",
        "SELECT COUNT(*) FROM patients WHERE SUBSTR('0' || postcode, -5) LIKE '01%'",
    ),
    Task(
        "moderate",
        "How many of the women born before 1950 have had at least one sample taken?",
        "women refers to sex written as F, f or female; birth_date is YYYY-MM-DD or DD.MM.YYYY",
        """
        SELECT COUNT(DISTINCT p.patient_no)
        FROM patients AS p
        JOIN samples AS s ON s.patient_no = p.patient_no
        WHERE LOWER(p.sex) IN ('f', 'female')
          AND CAST(
            CASE WHEN p.birth_date LIKE '__.__.____' THEN SUBSTR(p.birth_date, 7) ELSE SUBSTR(p.birth_date, 1, 4) END
            AS INTEGER
          ) < 1950
        """,
    ),
    Task(
        "moderate",
        "What is the average potassium result over all runs, rounded to two decimals?",
        "potassium refers to test_code = 'K'; value is text with a decimal point or a decimal comma, and only values "
        "that begin with a digit are measurements",
        """
        SELECT ROUND(AVG(CAST(REPLACE(value, ',', '.') AS REAL)), 2)
        FROM results
        WHERE test_code = 'K' AND value GLOB '[0-9]*'
        """,
    ),
    Task(
        "moderate",
        "Of the samples for which it was noted, what percentage was rejected? One decimal, please.",
        "rejected is 1 for yes, 0 for no and NULL if it was not noted; percentage = number rejected * 100.0 / number noted",
        "SELECT ROUND(100.0 * SUM(rejected) / COUNT(rejected), 1) FROM samples",
    ),
    Task(
        "moderate",
        "Which department sends the most urgent samples, and how many has it sent?",
        "priority is typed by hand: case differs and blanks may follow; urgent refers to LOWER(TRIM(priority)) = 'urgent'",
        """
        SELECT d.name, COUNT(*)
        FROM samples AS s
        JOIN departments AS d ON d.dept_code = s.dept_code
        WHERE LOWER(TRIM(s.priority)) = 'urgent'
        GROUP BY d.dept_code
        ORDER BY COUNT(*) DESC
        LIMIT 1
        """,
    ),
    Task(
        "challenging",
        "When a glucose test was run more than once on a sample, only the last run counts. On that footing, how many "
        "samples have a glucose value outside the reference range?",
        "glucose refers to test_code = 'GLU'; the last run has the highest run; outside the range refers to value < "
        "low or value > high; value is text with a decimal point or comma; a sample whose last run does not begin with a "
        "digit has no glucose value",
        """
        WITH glucose AS (
          SELECT sample_id, value, ROW_NUMBER() OVER (PARTITION BY sample_id ORDER BY run DESC) AS place
          FROM results
          WHERE test_code = 'GLU'
        )
        SELECT COUNT(*)
        FROM glucose AS g
        JOIN tests AS t ON t.test_code = 'GLU'
        WHERE g.place = 1
          AND g.value GLOB '[0-9]*'
          AND (CAST(REPLACE(g.value, ',', '.') AS REAL) < t.low OR CAST(REPLACE(g.value, ',', '.') AS REAL) > t.high)
        """,
    ),
    Task(
        "challenging",
        "How many hours do the departments wait on average for an urgent sample, from the moment it is taken to its "
        "last report? List every department by name with its hours, to one decimal.",
        "urgent refers to LOWER(TRIM(priority)) = 'urgent'; reported_at is YYYY-MM-DD HH:MM, but DD.MM.YYYY HH:MM from "
        "one of the analysers; samples without any report are left out",
        """
        WITH reports AS (
          SELECT sample_id,
            CASE WHEN reported_at LIKE '__.__.____ %'
              THEN SUBSTR(reported_at, 7, 4) || '-' || SUBSTR(reported_at, 4, 2) || '-' || SUBSTR(reported_at, 1, 2)
                || SUBSTR(reported_at, 11)
              ELSE reported_at
            END AS moment
          FROM results
        ),
        waits AS (
          SELECT s.dept_code,
            CAST(STRFTIME('%s', MAX(r.moment)) AS INTEGER) - CAST(STRFTIME('%s', s.taken_at) AS INTEGER) AS seconds
          FROM samples AS s
          JOIN reports AS r ON r.sample_id = s.sample_id
          WHERE LOWER(TRIM(s.priority)) = 'urgent'
          GROUP BY s.sample_id
        )
        SELECT d.name, ROUND(AVG(w.seconds) / 3600.0, 1)
        FROM waits AS w
        JOIN departments AS d ON d.dept_code = w.dept_code
        GROUP BY d.dept_code
        """,
    ),
)
