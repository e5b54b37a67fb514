"""The rules of the rescue service. The ids are the places in this list."""

from demo_interact.model import Knowledge

KNOWLEDGE = (
    Knowledge(
        "Response Time (RT)",
        "How long people waited for help to reach them.",
        r"RT = reached\_at - alerted\_at, \text{ in minutes; only for missions in which the team got there}",
        "calculation_knowledge",
    ),
    Knowledge(
        "Turnout Delay (TD)",
        "How long a base needs to get moving.",
        r"TD = departed\_at - alerted\_at, \text{ in minutes}",
        "calculation_knowledge",
    ),
    Knowledge(
        "Response Class",
        "Names for how fast a mission was.",
        "'swift' when RT is at most 30 minutes, 'on time' when it is more than 30 and at most 60, 'slow' when it is more "
        "than 60, 'unreached' when the team never got there.",
        "domain_knowledge",
        ("Response Time (RT)",),
    ),
    Knowledge(
        "Genuine Mission",
        "A call-out in which somebody really needed help.",
        "A mission whose kind is anything but 'false alarm'.",
        "domain_knowledge",
    ),
    Knowledge(
        "Active Volunteer",
        "Who can be sent out.",
        "A volunteer who has not left (left_on is NULL) and is past training (grade is not 'trainee').",
        "domain_knowledge",
    ),
    Knowledge(
        "Closing Day",
        "The day on which the books of the season 2024/25 are closed; every age and every term is counted up to it.",
        "2025-04-30",
        "domain_knowledge",
    ),
    Knowledge(
        "Years of Service (YS)",
        "How long somebody has been with us.",
        r"YS = \frac{ClosingDay - joined\_on \text{ in days}}{365.25}",
        "calculation_knowledge",
        ("Closing Day",),
    ),
    Knowledge(
        "Readiness Score (RS)",
        "What can be asked of a volunteer: fitness, and experience of which no more than ten years count.",
        r"RS = 0.7 \times fitness + 3 \times \min(YS, 10); \text{ not defined without a fitness test}",
        "calculation_knowledge",
        ("Years of Service (YS)",),
    ),
    Knowledge(
        "Load Index (LI)",
        "How much each pair of hands at a base has to do.",
        r"LI = \frac{\text{Genuine Missions of the base}}{\text{Active Volunteers of the base}}; "
        r"\text{ NULL where there are no Active Volunteers}",
        "calculation_knowledge",
        ("Genuine Mission", "Active Volunteer"),
    ),
    Knowledge(
        "Flight Cost (FC)",
        "What one helicopter flight costs us, in francs. Fuel that was not noted is charged as nothing.",
        r"FC = 38.50 \times flight\_min + 1.92 \times fuel\_l",
        "calculation_knowledge",
    ),
    Knowledge(
        "Winter Season",
        "The months that count as winter.",
        "From 1 November to 30 April of the following year. The last one is 2024-11-01 to 2025-04-30.",
        "domain_knowledge",
        ("Closing Day",),
    ),
    Knowledge(
        "Overdue Item",
        "Equipment that should not be used before somebody looks at it.",
        "An item in use (retired_on is NULL) that has not passed a check in the 180 days up to the Closing Day. A check "
        "that failed does not help, and neither does having none.",
        "domain_knowledge",
        ("Closing Day",),
    ),
    Knowledge(
        "Critical Day",
        "A day on which we expect trouble in a valley.",
        "A snow report with a danger_level of 4 or more, or with 40 cm of new snow or more.",
        "domain_knowledge",
        ("snow_reports.danger_level",),
    ),
    Knowledge(
        "Promotion Rule",
        "When a trainee becomes a rescuer.",
        "The trainee has not left, has at least 2 Years of Service, and at least 12 hours on Genuine Missions. Hours that "
        "were not written down count as none.",
        "domain_knowledge",
        ("Years of Service (YS)", "Genuine Mission"),
    ),
    Knowledge(
        "Avalanche Team",
        "Who may search for the buried.",
        "An Active Volunteer whose skills hold both 'transceiver' and 'dog handling'.",
        "domain_knowledge",
        ("Active Volunteer",),
    ),
    Knowledge(
        "missions.severity",
        "Illustrates the NACA score.",
        "0: unhurt; 1 to 2: slight; 3: hospital needed; 4 to 5: life in danger; 6: resuscitated; 7: dead.",
        "value_illustration",
    ),
    Knowledge(
        "snow_reports.danger_level",
        "Illustrates the avalanche danger.",
        "1: low; 2: moderate; 3: considerable; 4: high; 5: very high.",
        "value_illustration",
    ),
    Knowledge(
        "volunteers.grade",
        "Illustrates the ranks.",
        "'trainee': goes along, does not count as crew; 'rescuer': full member; 'leader': may lead a mission.",
        "value_illustration",
    ),
)
