"""The tables of seed_vault, and what their columns mean."""

from demo_interact.model import Column, Table

SPECIES = Table(
    "species",
    (
        Column("species_id", "integer", "Number of the species."),
        Column("scientific_name", "text", "Genus and epithet; unique."),
        Column("family", "text", "Plant family."),
        Column("common_names", "text[]", "Names in everyday speech, in several languages."),
        Column("red_list", "text", "Category: LC, NT, VU, EN, CR, DD. NULL: not assessed.", null=True),
        Column(
            "traits",
            "jsonb",
            "What is known of the plant.",
            fields={
                "lifeform": "text. Possible values: annual, perennial, shrub.",
                "storage": "text. Possible values: orthodox, intermediate, recalcitrant.",
                "dormancy": {
                    "kind": "text. Possible values: none, physical, physiological.",
                    "weeks_cold": "bigint. Weeks in the cold before sowing. Absent without dormancy.",
                },
            },
        ),
    ),
    key=("species_id",),
    unique=("scientific_name",),
)

CURATORS = Table(
    "curators",
    (
        Column("curator_id", "integer", "Number of the curator."),
        Column("curator_name", "text", "Name of the curator."),
        Column("hired_on", "date", "First day at the bank."),
        Column("left_on", "date", "Last day at the bank. NULL: still employed.", null=True),
        Column("families", "text[]", "Plant families the curator knows best. NULL: never asked.", null=True),
    ),
    key=("curator_id",),
)

VAULTS = Table(
    "vaults",
    (
        Column("vault_id", "text", "Code of the vault. Example: B-07."),
        Column("temperature_c", "numeric(4,1)", "Temperature kept, in degrees Celsius."),
        Column("humidity_pct", "numeric(4,1)", "Relative humidity. NULL: sensor broken.", null=True),
        Column("capacity", "integer", "Number of accessions that fit in."),
        Column("sealed_on", "date", "Day it was closed for new material. NULL: open.", null=True),
    ),
    key=("vault_id",),
)

ACCESSIONS = Table(
    "accessions",
    (
        Column("accession_no", "text", "Number of the accession, one sample of seed. Example: SV-0042."),
        Column("species_id", "integer", "The species."),
        Column("vault_id", "text", "Where it lies. NULL: not put away yet.", null=True),
        Column("curator_id", "integer", "Who looks after it. NULL: nobody.", null=True),
        Column("status", "text", "Possible values: active, quarantine, duplicate, withdrawn."),
        Column("country", "text", "Country it was collected in."),
        Column("collected_on", "date", "Day of collection. NULL: unknown.", null=True),
        Column("received_at", "timestamp without time zone", "When it came to the bank."),
        Column("seed_count", "integer", "Seeds in store. NULL: not counted.", null=True),
        Column("thousand_seed_g", "numeric(8,3)", "Weight of a thousand seeds, in grams."),
        Column(
            "passport",
            "jsonb",
            "Where it comes from.",
            fields={
                "site": {
                    "lat": "real. Latitude. Absent if unknown.",
                    "lon": "real. Longitude. Absent if unknown.",
                    "elevation_m": "bigint. Metres above sea level. **NULL means not measured.**",
                },
                "collector": "text. Who collected it. Absent if unknown.",
                "habitat": "text. Kind of place. Absent if unknown.",
                "permits": "array of text. Numbers of permits; empty if there is none.",
            },
        ),
    ),
    key=("accession_no",),
    foreign={"species_id": "species(species_id)", "vault_id": "vaults(vault_id)", "curator_id": "curators(curator_id)"},
    indexes=("species_id", "gin passport"),
)

GERMINATION_TESTS = Table(
    "germination_tests",
    (
        Column("test_id", "integer", "Number of the test."),
        Column("accession_no", "text", "The accession tested."),
        Column("started_on", "date", "Day of sowing."),
        Column("ended_on", "date", "Day of the last count. NULL: still running or abandoned.", null=True),
        Column("sown", "integer", "Seeds sown. 0: the dish was lost."),
        Column("germinated", "integer", "Seeds that came up. A count above `sown` is a typing error."),
        Column("substrate", "text", "Possible values: agar, sand, paper, peat."),
        Column("temp_c", "numeric(4,1)", "Temperature of the chamber. NULL: not noted.", null=True),
    ),
    key=("test_id",),
    foreign={"accession_no": "accessions(accession_no)"},
    indexes=("accession_no",),
    serial=True,
)

SHIPMENTS = Table(
    "shipments",
    (
        Column("shipment_id", "integer", "Number of the shipment."),
        Column("institute", "text", "Who asked for seed."),
        Column("country", "text", "Country of the institute."),
        Column("purpose", "text", "Possible values: research, restoration, breeding, education."),
        Column("urgent", "boolean", "Whether it was asked for in haste."),
        Column("requested_on", "date", "Day of the request."),
        Column("shipped_on", "date", "Day it left. NULL: not sent.", null=True),
    ),
    key=("shipment_id",),
    serial=True,
)

SHIPMENT_ITEMS = Table(
    "shipment_items",
    (
        Column("shipment_id", "integer", "The shipment."),
        Column("accession_no", "text", "The accession sent."),
        Column("packets", "integer", "Number of packets."),
        Column("seeds", "integer", "Seeds in all packets together. NULL: by weight, not counted.", null=True),
    ),
    key=("shipment_id", "accession_no"),
    foreign={"shipment_id": "shipments(shipment_id)", "accession_no": "accessions(accession_no)"},
)

TABLES = (SPECIES, CURATORS, VAULTS, ACCESSIONS, GERMINATION_TESTS, SHIPMENTS, SHIPMENT_ITEMS)
