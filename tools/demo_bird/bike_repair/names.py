"""The invented people, places and parts of bike_repair."""

SHOPS = (
    ("001", "Centrum", "Gent", "2009-04-01", 140),
    ("002", "Dampoort", "Gent", "2013-09-15", 85),
    ("003", "Meir", "Antwerpen", "2011-03-05", 160),
    ("005", "Zuid", "Antwerpen", "2016-05-21", 110),
    ("007", "Naamsepoort", "Leuven", "2017-02-11", 95),
    ("010", "Saint-Gilles", "Bruxelles", "2018-06-30", 120),
    ("012", "Guillemins", "Liège", "2020-10-03", 75),
    ("015", "Minnewater", "Brugge", "2022-04-09", 90),
)

# Three to a shop: the first eight are the first mechanics of the eight shops, and so on.
MECHANICS = (
    *("Bram Cools", "Eline Maes", "Youssef Amrani", "Pieter De Wit", "Sofie Baert", "Luc Fontaine", "Chloé Renard"),
    *("Wout Hendrickx", "Nele Smet", "Tom Aerts", "Fatima Idrissi", "Jef Pauwels", "Karel Bogaert", "Amélie Noël"),
    *("Hugo Lambert", "Griet Claes", "Stijn Wouters", "Marieke Thys", "Omar Haddad", "Lotte Nys", "Ward Segers"),
    *("Inès Marchal", "Thibault Jacquet", "Dries Van Acker"),
)

FIRST_NAMES = (
    *("Anna", "Arne", "Bart", "Camille", "Daan", "Elise", "Emma", "Femke", "Gilles", "Hanne", "Ilse", "Jan", "Jonas"),
    *("Julie", "Koen", "Laura", "Lucas", "Marie", "Mathis", "Noor", "Olivia", "Peter", "Robbe", "Sarah", "Simon"),
    *("Tine", "Victor", "Yasmine"),
)

LAST_NAMES = (
    *("Adams", "Bauwens", "Callens", "Coppens", "De Clercq", "De Smedt", "Desmet", "Dubois", "Dupont", "Engelen"),
    *("Goossens", "Hermans", "Jacobs", "Janssens", "Lambrecht", "Leroy", "Martens", "Mertens", "Michiels", "Peeters"),
    *("Simons", "Stevens", "Thomas", "Van Damme", "Verhaegen", "Vermeulen", "Willems", "Wuyts"),
)

CITIES = ("Gent", "Gent", "Antwerpen", "Antwerpen", "Leuven", "Bruxelles", "Brussel", "Liège", "Liege", "Brugge")

PARTS = (
    ("00112", "brake pads", 1295),
    ("00113", "brake cable", 650),
    ("00120", "disc rotor", 2990),
    ("00204", "chain", 2450),
    ("00207", "cassette", 3895),
    ("00211", "derailleur", 5490),
    ("00305", "inner tube", 695),
    ("00306", "tyre", 2795),
    ("00318", "spoke", 120),
    ("00417", "bottom bracket", 3250),
    ("00420", "pedals", 1990),
    ("00502", "front light", 2495),
    ("00503", "rear light", 1495),
    ("00610", "saddle", 3490),
    ("00702", "bell", 850),
    ("01001", "speed sensor", 4450),
)
