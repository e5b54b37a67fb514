"""The invented places, people and things of mountain_rescue."""

VALLEYS = ("Arvental", "Brünntal", "Val d'Orsa", "Côte Noire", "Dossa", "Eisgrund", "Féline")

# One base after the other goes to the next valley.
BASES = (
    *("Adlerhorst", "L'Aiguille", "Alpe Grünsee", "Bärenloch", "Bec de l'Aigle", "Bocca Scura", "Breitlauen"),
    *('Capanna "Rossa"', "Châlet d'En Haut", "Crap Alv", "Dent Grise", "Drei Brüder", "Eggstock", "Fil da Rueun"),
    *("Fürggele", "Gämsstein", "Grand Névé", "Hinterjoch", "Hohe Wand", "La Forcletta", "Lago Mòrto", "Längfluh"),
    *("Mittelegg", "Mont Sérac", "Munt Sulegl", "Nollen", "Oberkäser", "Passo dell'Orso", "Piz Ault", "Pointe d'Été"),
    *("Quelljoch", "Rotstein", "Sasso Bianco", "Schöntal", "Stafelalp", "Tête Ronde", 'Unter "Galgen"', "Vorab"),
    *("Wyssegg", "Zwächten"),
)

FIRST_NAMES = (
    *("Aline", "Anton", "Beat", "Bruna", "Céline", "Corsin", "Dario", "Edith", "Eva", "Flurin", "Gian", "Hanna"),
    *("Ivo", "Jérôme", "Jolanda", "Kaspar", "Lea", "Luca", "Madlaina", "Mirjam", "Nino", "Odile", "Paul", "Regula"),
    *("Sandro", "Séverine", "Tobias", "Ursina", "Vreni", "Yves"),
)
LAST_NAMES = (
    *("Abderhalden", "Bürgi", "Caduff", "D'Angelo", "Egli", "Favre", "Gämperle", "Imboden", "Jäggi", "Kälin"),
    *("L'Eplattenier", "Monnet", "Näf", "O'Neill", "Pfister", "Rüegg", "Salis", "Théler", "Von Allmen", "Zgraggen"),
)

SKILLS = ("rope", "transceiver", "dog handling", "medic", "snowmobile", "drone", "cave, flooded")
LANGUAGES = ("de", "fr", "it", "rm", "en")
ZONES = ("couloir", "glacier", "forest", "summit ridge", "ski run", "via ferrata")
EQUIPMENT = {
    "rope": ("static rope 100 m", "dynamic rope 60 m", "kernmantle 50 m"),
    "stretcher": ("UT 2000", "akja sledge", "vacuum mattress"),
    "radio": ('handheld "Pico"', "repeater", "base set"),
    "avalanche": ("probe set", "transceiver", "RECCO detector"),
    "vehicle": ("snowmobile", "quad", "4×4 pick-up"),
}
