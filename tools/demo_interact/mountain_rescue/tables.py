"""The tables of mountain_rescue, and what their columns mean."""

from demo_interact.model import Column, Table

BASES = Table(
    "bases",
    (
        Column("base_id", "integer", "Number of the rescue base."),
        Column("base_name", "text", "Name of the base; unique."),
        Column("valley", "text", "Valley the base serves. Snow reports are made per valley."),
        Column("altitude_m", "integer", "Height above sea level in metres."),
        Column("opened_on", "date", "Day the base was opened. NULL: older than the records.", null=True),
        Column("has_helipad", "boolean", "Whether a helicopter can land."),
        Column(
            "contact",
            "jsonb",
            "How to reach the base.",
            fields={
                "phone": "text. Telephone number; absent where there is no line. Example: +41 81 555 01 07.",
                "radio": {
                    "channel": "text. Radio channel the base listens on. Example: K-14.",
                    "callsign": "text. What to call it on that channel. Example: EAGLE 3.",
                },
                "languages": "array of text. Languages spoken by the crew. Possible values: de, fr, it, rm, en.",
            },
        ),
    ),
    key=("base_id",),
    unique=("base_name",),
)

VOLUNTEERS = Table(
    "volunteers",
    (
        Column("volunteer_id", "integer", "Number of the volunteer."),
        Column("base_id", "integer", "Base the volunteer belongs to."),
        Column("full_name", "text", "First and last name."),
        Column("grade", "text", "Rank. Possible values: trainee, rescuer, leader."),
        Column("joined_on", "date", "Day of joining."),
        Column("left_on", "date", "Day of leaving. NULL: still with us.", null=True),
        Column("skills", "text[]", "Certificates held. NULL: never recorded.", null=True),
        Column("fitness", "numeric(4,1)", "Last fitness test, 0 to 100. NULL: not tested.", null=True),
    ),
    key=("volunteer_id",),
    foreign={"base_id": "bases(base_id)"},
    indexes=("gin skills",),
    serial=True,
)

MISSIONS = Table(
    "missions",
    (
        Column("mission_id", "integer", "Number of the mission."),
        Column("base_id", "integer", "Base that was called out."),
        Column("alerted_at", "timestamp without time zone", "When the alarm came in."),
        Column("departed_at", "timestamp without time zone", "When the team left. NULL: it never left.", null=True),
        Column("reached_at", "timestamp without time zone", "When the team was there. NULL: never got there.", null=True),
        Column("kind", "text", "Possible values: fall, avalanche, lost, medical, crevasse, false alarm."),
        Column("severity", "integer", "NACA score 0 to 7. NULL: not assessed.", null=True),
        Column("zone", "text", "Terrain. NULL: unknown.", null=True),
        Column(
            "report",
            "jsonb",
            "What the leader reported afterwards.",
            fields={
                "casualties": "bigint. People who needed help.",
                "outcome": "text. Possible values: rescued, self-rescued, dead, none.",
                "helicopter": "boolean. Whether a helicopter flew.",
                "cost": {
                    "flight_min": "bigint. Minutes in the air. Absent without a flight.",
                    "fuel_l": "real. Litres of fuel. **NULL means that the pilot did not note it.**",
                },
            },
        ),
    ),
    key=("mission_id",),
    foreign={"base_id": "bases(base_id)"},
    indexes=("alerted_at",),
    serial=True,
)

DEPLOYMENTS = Table(
    "deployments",
    (
        Column("mission_id", "integer", "The mission."),
        Column("volunteer_id", "integer", "Who went."),
        Column("role", "text", "Possible values: lead, medic, rope, search, driver."),
        Column("hours", "numeric(5,2)", "Hours on duty. NULL: not written down.", null=True),
    ),
    key=("mission_id", "volunteer_id"),
    foreign={"mission_id": "missions(mission_id)", "volunteer_id": "volunteers(volunteer_id)"},
)

EQUIPMENT = Table(
    "equipment",
    (
        Column("item_id", "integer", "Number of the item."),
        Column("base_id", "integer", "Base that keeps it."),
        Column("category", "text", "Possible values: rope, stretcher, radio, avalanche, vehicle."),
        Column("label", "text", "What it is."),
        Column("bought_on", "date", "Day of purchase."),
        Column("price", "numeric(9,2)", "Price paid, in francs."),
        Column("retired_on", "date", "Day it was taken out of use. NULL: in use.", null=True),
        Column(
            "checks",
            "jsonb",
            "Safety checks, an array in no particular order; empty if it was never checked.",
            fields={
                "on": "date as text. Day of the check. Example: 2024-10-02.",
                "passed": "boolean. Whether the item passed.",
                "by": "text. Who checked it.",
            },
        ),
    ),
    key=("item_id",),
    foreign={"base_id": "bases(base_id)"},
)

SNOW_REPORTS = Table(
    "snow_reports",
    (
        Column("report_id", "integer", "Number of the report."),
        Column("valley", "text", "Valley it is about; one report per valley and day."),
        Column("reported_on", "date", "Day it holds for."),
        Column("danger_level", "integer", "Avalanche danger, 1 (low) to 5 (very high)."),
        Column("new_snow_cm", "numeric(5,1)", "Fresh snow in 24 hours. NULL: the gauge was down.", null=True),
        Column("wind_kmh", "numeric(5,1)", "Mean wind at the ridge.", null=True),
        Column("temperatures", "integer[]", "Degrees Celsius at 6, 12 and 18 o'clock; NULL where not read."),
    ),
    key=("report_id",),
    indexes=("reported_on",),
)

TABLES = (BASES, VOLUNTEERS, MISSIONS, DEPLOYMENTS, EQUIPMENT, SNOW_REPORTS)
