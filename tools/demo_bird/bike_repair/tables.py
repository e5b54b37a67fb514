"""The tables of bike_repair, and what their columns mean."""

from demo_bird.model import Column, Table

SHOPS = Table(
    "shops",
    (
        Column("shop_code", "TEXT", "code of the shop", "three digits, with leading zeros", "PRIMARY KEY"),
        Column("name", "TEXT", "name of the shop"),
        Column("city", "TEXT", "city of the shop"),
        Column("opened", "TEXT", "day the shop opened", "YYYY-MM-DD"),
        Column("square metres", "INTEGER", "floor space"),
    ),
)

MECHANICS = Table(
    "mechanics",
    (
        Column("mechanic_id", "INTEGER", "number of the mechanic", "", "PRIMARY KEY"),
        Column("name", "TEXT", "name of the mechanic"),
        Column("shop_code", "TEXT", "shop the mechanic works in", "", "REFERENCES shops (shop_code)"),
        Column("hourly_rate", "REAL", "wage in euros per hour", "empty for apprentices"),
        Column("certified", "TEXT", "whether trained on e-bikes", "Y, y, yes / N, no; empty if unknown"),
    ),
)

CUSTOMERS = Table(
    "customers",
    (
        Column("customer_id", "INTEGER", "number of the registration", "one person may have several", "PRIMARY KEY"),
        Column("name", "TEXT", "name as typed at the counter"),
        Column("email", "TEXT", "e-mail address", "any case, sometimes with blanks around it, empty text or NULL"),
        Column("city", "TEXT", "city as typed at the counter"),
        Column("since", "TEXT", "day of registration", "YYYY-MM-DD"),
    ),
)

REPAIRS = Table(
    "repairs",
    (
        Column("repair_id", "INTEGER", "number of the repair", "", "PRIMARY KEY"),
        Column("shop_code", "TEXT", "shop", "some have lost their leading zeros", "REFERENCES shops (shop_code)"),
        Column(
            "customer_id",
            "INTEGER",
            "who brought the bike",
            "deleted customers keep their number here",
            "REFERENCES customers (customer_id)",
        ),
        Column("mechanic_id", "INTEGER", "who did it", "empty: not assigned", "REFERENCES mechanics (mechanic_id)"),
        Column("bike_type", "TEXT", "kind of bicycle", "city, road, mtb, e-bike, cargo, kids; typed by hand"),
        Column("received", "TEXT", "day the bike came in", "YYYY-MM-DD; in the new till DD/MM/YYYY"),
        Column("status", "TEXT", "state of the repair", "done, cancelled, waiting, in progress; typed by hand"),
        Column("quote", "TEXT", "price quoted, in whole euros", "a number as text; empty text or NULL: no quote"),
        Column("hours", "REAL", "hours worked", "in quarters; empty unless done"),
        Column("order", "TEXT", "number on the work order"),
    ),
)

PART_LINES = Table(
    "part_lines",
    (
        Column("line_id", "INTEGER", "number of the line", "", "PRIMARY KEY"),
        Column("repair_id", "INTEGER", "repair the part was used in", "", "REFERENCES repairs (repair_id)"),
        Column("part_code", "TEXT", "code of the part", "five digits, with leading zeros"),
        Column("part name", "TEXT", "name of the part as typed"),
        Column("quantity", "INTEGER", "pieces used", "negative: put back on the shelf"),
        Column("unit_cents", "INTEGER", "price of one piece in euro cents"),
    ),
)

PAYMENTS = Table(
    "payments",
    (
        Column("payment_id", "INTEGER", "number of the payment", "", "PRIMARY KEY"),
        Column(
            "repair_id",
            "INTEGER",
            "repair that was paid for",
            "empty: sold over the counter; some repairs were purged from the records",
            "REFERENCES repairs (repair_id)",
        ),
        Column("paid_on", "TEXT", "day of the payment", "YYYY-MM-DD"),
        Column("amount_cents", "INTEGER", "amount in euro cents", "negative: refund"),
        Column("method", "TEXT", "way of paying", "card, cash, transfer; typed by hand"),
    ),
)

TABLES = (SHOPS, MECHANICS, CUSTOMERS, REPAIRS, PART_LINES, PAYMENTS)
