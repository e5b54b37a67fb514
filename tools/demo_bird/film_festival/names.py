"""The invented films, venues and jurors of film_festival."""

Film = tuple[str, str | None, str]

COMPETITION: tuple[Film, ...] = (
    ("The Salt Road", "Saltveien", "Norway"),
    ("A Winter Without Dogs", "En vinter uten hunder", "Norway / Sweden"),
    ("The Glassblower's Daughter", "La fille du verrier", "France"),
    ("Low Tide at Five", "Marée basse à cinq heures", "France / Belgium"),
    ("House of Moths", None, "Ireland"),
    ("The Last Interpreter", "Der letzte Dolmetscher", "Germany"),
    ("Paper Boats", "Barcos de papel", "Argentina"),
    ("Nine Days in Braga", "Nove dias em Braga", "Portugal"),
    ("What the River Kept", None, "Canada"),
    ("The Beekeeper of Aveyron", "L'apiculteur de l'Aveyron", "France"),
    ("Silent Partner", None, "United Kingdom"),
    ("Orchard", "Sad", "Poland"),
    ("Second Snow", "Toinen lumi", "Finland"),
    ("The Understudy", "La sustituta", "Spain"),
)

DOCUMENTARY: tuple[Film, ...] = (
    ("Forty Metres Down", None, "Iceland"),
    ("Counting Whales", "Å telle hvaler", "Norway"),
    ("The Lighthouse Accounts", None, "Ireland"),
    ("Our Street, 1974", "Unsere Straße, 1974", "Germany"),
    ("The Library Bus", "Le bibliobus", "France"),
    ("Peat", None, "Ireland"),
    ("A Short History of Bread", "Petite histoire du pain", "France / Switzerland"),
    ("Night Shift", "Nattskift", "Norway"),
    ("The Piano Movers", "Pianoflytterne", "Denmark"),
    ("Ballast", None, "United Kingdom"),
    ("Mothers of the Quarry", "As mães da pedreira", "Portugal"),
    ("Signal Lost", None, "Canada"),
)

FIRST_FEATURES: tuple[Film, ...] = (
    ("Half a Summer", "Ein halber Sommer", "Germany / Austria"),
    ("Tin Roof", None, "South Africa"),
    ("The Lodger Upstairs", "Lokatorka z góry", "Poland"),
    ("Blue Hour", "L'heure bleue", "France"),
    ("Minor Repairs", "Småreparationer", "Sweden"),
    ("Fog Signals", None, "Canada"),
    ("My Brother's Accordion", "La fisarmonica di mio fratello", "Italy"),
    ("Eleven Kilometres", "Yksitoista kilometriä", "Finland"),
    ("The Swimming Lesson", "La lección de natación", "Spain"),
    ("Room with a Radiator", "Kamer met radiator", "Netherlands"),
    ("Second-Hand Suit", "Abito usato", "Italy"),
    ("Undertow", None, "Ireland"),
)

MIDNIGHT: tuple[Film, ...] = (
    ("The Cellar Choir", None, "United Kingdom"),
    ("Night of the Herring", "Sildenatten", "Denmark"),
    ("Do Not Feed the Statue", None, "Canada"),
    ("Red Telephone", "Le téléphone rouge", "Belgium / France"),
    ("They Came by Ferry", "De kom med ferja", "Norway"),
    ("Carnivore Garden", "Jardín carnívoro", "Mexico"),
    ("Static", None, "United States"),
    ("The Long Lift", "De lange lift", "Netherlands"),
)

SPECIAL_EVENTS: tuple[Film, ...] = (
    ("Harbour Reels 1928", None, "Ireland"),
    ("Three Small Owls", "Tre små ugler", "Denmark"),
    ("The Restored Negative", "Le négatif restauré", "France"),
    ("The Pilgrim's Lantern", "Die Laterne des Pilgers", "Germany"),
)

SECTIONS: tuple[tuple[str | None, tuple[Film, ...]], ...] = (
    ("Competition", COMPETITION),
    ("Documentary", DOCUMENTARY),
    ("First Features", FIRST_FEATURES),
    ("Midnight", MIDNIGHT),
    (None, SPECIAL_EVENTS),
)

VENUES = (
    (1, "Palace Cinema", 420, "yes"),
    (2, "Customs House", 180, "Y"),
    (3, "Seamen's Hall", 145, "no"),
    (4, "Studio 2", 88, "yes"),
    (5, "Old Fish Market", 260, None),
    (6, "Harbour Stage", None, "yes"),
)

JURORS = (
    *("Ingrid Solheim", "Marc Delvaux", "Aoife Brennan", "Tomasz Wrona", "Lucía Ferrer", "Henrik Aas"),
    "Nadia Karim",
)
