"""What one may ask the chain of repair shops."""

from demo_bird.model import Task

TASKS = (
    Task("simple", "How many repairs are on record?", "", "SELECT COUNT(*) FROM repairs"),
    Task(
        "simple",
        "What is the highest hourly rate that any mechanic gets?",
        "",
        "SELECT MAX(hourly_rate) FROM mechanics",
    ),
    Task(
        "simple",
        "What was the highest price we ever quoted for a repair?",
        "quote holds whole euros, but as text; highest price quoted refers to MAX(CAST(quote AS INTEGER))",
        "SELECT MAX(CAST(quote AS INTEGER)) FROM repairs",
    ),
    Task(
        "simple",
        "How many repairs were cancelled?",
        "status is typed by hand: case differs and blanks may follow; cancelled refers to LOWER(TRIM(status)) = 'cancelled'",
        "SELECT COUNT(*) FROM repairs WHERE LOWER(TRIM(status)) = 'cancelled'",
    ),
    Task(
        "moderate",
        "Going by their e-mail addresses, how many different people are registered as customers?",
        "the same person may be registered more than once, with the address in another case or with blanks around it; "
        "registrations whose address is NULL or empty text are not counted",
        """
        SELECT COUNT(DISTINCT LOWER(TRIM(email))) FROM customers WHERE TRIM(email) <> ''
        """,
    ),
    Task(
        "moderate",
        "Which shop took in the most money for its repairs once refunds are taken off, and how many euros was that? "
        "Give the name of the shop and the amount.",
        "amount_cents is in euro cents and negative for a refund; some repairs have lost the leading zeros of "
        "shop_code, so that '7' means '007': compare the codes as numbers",
        """
        SELECT s.name, SUM(p.amount_cents) / 100.0
        FROM payments AS p
        JOIN repairs AS r ON r.repair_id = p.repair_id
        JOIN shops AS s ON CAST(s.shop_code AS INTEGER) = CAST(r.shop_code AS INTEGER)
        GROUP BY s.shop_code
        ORDER BY SUM(p.amount_cents) DESC
        LIMIT 1
        """,
    ),
    Task(
        "moderate",
        "Some payments belong to repairs that are no longer in our records. How many euros do they add up to?",
        "amount_cents is in euro cents; a payment whose repair_id is NULL is a sale over the counter and not meant here",
        """
        SELECT SUM(p.amount_cents) / 100.0
        FROM payments AS p
        WHERE p.repair_id IS NOT NULL
          AND NOT EXISTS (SELECT 1 FROM repairs AS r WHERE r.repair_id = p.repair_id)
        """,
    ),
    Task(
        "moderate",
        "How many bikes were brought in for repair in March 2024?",
        "received is written YYYY-MM-DD by the old till and DD/MM/YYYY by the new one",
        """
        SELECT COUNT(*) FROM repairs WHERE received LIKE '2024-03-%' OR received LIKE '__/03/2024'
        """,
    ),
    Task(
        "challenging",
        "For every shop, set the value of the parts it used in repairs against what customers paid for its repairs in "
        "the end. I need the name of the shop, the parts and the payments, both in euros.",
        "value of the parts refers to SUM(quantity * unit_cents), what was paid in the end to SUM(amount_cents) with "
        "refunds as negative amounts; both are in euro cents; a repair may have many part lines and many payments; "
        "some repairs have lost the leading zeros of shop_code: compare the codes as numbers",
        """
        WITH work AS (SELECT repair_id, CAST(shop_code AS INTEGER) AS code FROM repairs),
        used AS (
          SELECT w.code, SUM(l.quantity * l.unit_cents) AS cents
          FROM work AS w JOIN part_lines AS l ON l.repair_id = w.repair_id GROUP BY w.code
        ),
        paid AS (
          SELECT w.code, SUM(p.amount_cents) AS cents
          FROM work AS w JOIN payments AS p ON p.repair_id = w.repair_id GROUP BY w.code
        )
        SELECT s.name, used.cents / 100.0, paid.cents / 100.0
        FROM shops AS s
        JOIN used ON used.code = CAST(s.shop_code AS INTEGER)
        JOIN paid ON paid.code = CAST(s.shop_code AS INTEGER)
        """,
    ),
    Task(
        "challenging",
        "Who are our three best customers by money spent, refunds taken off? Count people who registered twice only "
        "once, and give me their e-mail addresses in lower case with the euros they spent.",
        "registrations belong to the same person if LOWER(TRIM(email)) is the same; those without an address (NULL or "
        "empty text) are left out; amount_cents is in euro cents and negative for a refund",
        """
        SELECT LOWER(TRIM(c.email)), SUM(p.amount_cents) / 100.0
        FROM customers AS c
        JOIN repairs AS r ON r.customer_id = c.customer_id
        JOIN payments AS p ON p.repair_id = r.repair_id
        WHERE TRIM(c.email) <> ''
        GROUP BY LOWER(TRIM(c.email))
        ORDER BY SUM(p.amount_cents) DESC
        LIMIT 3
        """,
    ),
)
