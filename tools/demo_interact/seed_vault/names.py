"""The invented plants, people and institutes of seed_vault: real families, made-up species."""

GENERA = {
    "Asteraceae": ("Lunaster", "Crepidora", "Helianella"),
    "Fabaceae": ("Vicionia", "Trifolina", "Lathyrella"),
    "Poaceae": ("Avenula", "Festucora", "Hordeina", "Stipella"),
    "Brassicaceae": ("Arabina", "Drabella"),
    "Rosaceae": ("Potentina", "Rubella"),
    "Lamiaceae": ("Salvinora", "Thymella"),
    "Orchidaceae": ("Ophrydina", "Orchella"),
}
EPITHETS = (
    *("alpestris", "borealis", "candida", "dubia", "elegans", "ferruginea", "gracilis", "hirta", "insularis", "kochii"),
    *("lutea", "montana", "nivalis", "obscura", "palustris", "rupestris", "saxatilis", "tenuis", "umbrosa", "villosa"),
)
COMMON = (
    "moon daisy",
    "goat's eye",
    "Schäferkraut",
    "herbe à l'ours",
    'king\'s "crown"',
    "flor d'onzo",
    "ice vetch",
    "bog oat",
)
CURATORS = (
    *("Agnès Roux", "Bjørn Aas", "Carla O'Shea", "Dénes Kőrösi", "Elif Aydın", "Fionn Mac an tSaoir", "Gül Şahin"),
    *("Håkon Lie", "Ines D'Alba", "Jürgen Groß", "Katya Ilić", "Łukasz Wójcik", "Maëlle Le Goff", "Niamh O'Dea"),
    *("Øystein Dahl", "Pilar Núñez", "Quentin Féry", "Rósa Jónsdóttir", "Sára Nagy", "Tomáš Dvořák", "Urša Žagar"),
    *("Vít Černý", 'William "Bill" Ash', "Xènia Puig", "Yann Kervella", "Zoë Marsh", "Ana Beltrán", "Bruno Sá"),
    *("Chiara Dell'Orto", "Daniel Weiß", "Edda Sørli", "Filip Åkesson", "Greta Holm", "Hugo Brandão", "Ida Løvik"),
    *("João Abreu", "Klára Vlčková", "Lars Öberg", "Mirela Popa", "Noa Ben-Ami"),
)
COUNTRIES = ("Norway", "France", "Spain", "Türkiye", "Italy", "Slovenia", "Ireland", "Romania")
INSTITUTES = (
    ("Jardin d'Essais de Brest", "France"),
    ("Institut des Prés Hauts", "France"),
    ("Estación Las Cañas", "Spain"),
    ('Banco "El Grano"', "Spain"),
    ("Fjellhagen", "Norway"),
    ("Landbrukets Frøsenter", "Norway"),
    ("Giardino dell'Orto", "Italy"),
    ("Botanični Vrt Soča", "Slovenia"),
    ("St Kevin's Field Station", "Ireland"),
    ("Grădina Carpați", "Romania"),
    ("Anadolu Tohum Evi", "Türkiye"),
)
HABITATS = ("scree", "wet meadow", "dry grassland", "peat bog", "roadside", "old field", "dunes")
COLLECTORS = ("M. O'Brien", "A. de l'Épée", "K. Þórsson", 'T. "Seedy" Quill', "R. Nuñez & S. Çelik", "unknown party")
