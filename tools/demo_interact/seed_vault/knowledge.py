"""The rules of the seed bank. The ids are the places in this list."""

from demo_interact.model import Knowledge

KNOWLEDGE = (
    Knowledge(
        "Germination Rate (GR)",
        "The part of the seed in a test that came up, in per cent. A count above what was sown is taken for all of it.",
        r"GR = 100 \times \frac{\min(germinated, sown)}{sown}; \text{ NULL when nothing was sown}",
        "calculation_knowledge",
    ),
    Knowledge(
        "Finished Test",
        "A germination test that may be used for statements.",
        "A germination test with an ended_on; those without are running or were abandoned.",
        "domain_knowledge",
    ),
    Knowledge(
        "Successful Test",
        "A test that shows good seed.",
        "A Finished Test with a GR of 75 or more.",
        "domain_knowledge",
        ("Germination Rate (GR)", "Finished Test"),
    ),
    Knowledge(
        "Current Viability (CV)",
        "How alive an accession is today.",
        "The GR of the latest Finished Test of the accession in which something was sown; the latest is the one that started "
        "last, of several the one with the highest test_id.",
        "calculation_knowledge",
        ("Germination Rate (GR)", "Finished Test"),
    ),
    Knowledge(
        "Held Accession",
        "Material that we really have.",
        "An accession with status 'active' that lies in a vault (vault_id is not NULL).",
        "domain_knowledge",
    ),
    Knowledge(
        "Threatened Species",
        "Species under threat in the sense of the red list.",
        "red_list is VU, EN or CR. NT and DD do not count.",
        "domain_knowledge",
        ("species.red_list",),
    ),
    Knowledge(
        "Red List Weight (RLW)",
        "How much a category counts.",
        "LC 1, NT 2, VU 3, EN 5, CR 8; DD and not assessed 2.",
        "domain_knowledge",
        ("species.red_list",),
    ),
    Knowledge(
        "Conservation Urgency (CU)",
        "What to look after first: rare and fading.",
        r"CU = RLW \times (100 - CV)",
        "calculation_knowledge",
        ("Red List Weight (RLW)", "Current Viability (CV)"),
    ),
    Knowledge(
        "Stock Weight (SW)",
        "The seed of an accession in grams.",
        r"SW = \frac{seed\_count \times thousand\_seed\_g}{1000}; \text{ seed that was not counted weighs } 0",
        "calculation_knowledge",
    ),
    Knowledge(
        "Regeneration Rule",
        "When an accession has to be grown again.",
        "An active accession whose CV is below 62.5 (reason 'viability'), whose seed_count is below 500 (reason 'stock'), or "
        "both (reason 'both'). What is not known is not a reason.",
        "domain_knowledge",
        ("Current Viability (CV)",),
    ),
    Knowledge(
        "Curator Load (CL)",
        "How much a curator has to look after; quarantine takes three times the work, all else but active is left out.",
        r"CL = n_{active} + 3 \times n_{quarantine}",
        "calculation_knowledge",
        ("accessions.status",),
    ),
    Knowledge(
        "Turnaround Time (TT)",
        "How long an institute waited.",
        r"TT = shipped\_on - requested\_on, \text{ in days; only for what has left}",
        "calculation_knowledge",
    ),
    Knowledge(
        "Base Collection",
        "Seed kept for the long term.",
        "Held Accessions in a vault at -18 degrees or colder.",
        "domain_knowledge",
        ("Held Accession",),
    ),
    Knowledge(
        "Count Correction",
        "What to do about typing errors in germination counts.",
        "A germinated above sown is set to sown; no test is deleted for it.",
        "domain_knowledge",
        ("Germination Rate (GR)",),
    ),
    Knowledge(
        "species.red_list",
        "Illustrates the categories.",
        "LC: least concern; NT: near threatened; VU: vulnerable; EN: endangered; CR: critically endangered; DD: too little "
        "known.",
        "value_illustration",
    ),
    Knowledge(
        "accessions.status",
        "Illustrates the states of an accession.",
        "'active': in use; 'quarantine': waits for a health check; 'duplicate': safety copy for another bank; 'withdrawn': "
        "given up.",
        "value_illustration",
    ),
    Knowledge(
        "shipments.purpose",
        "Illustrates what seed is asked for.",
        "'research', 'restoration' (sown in the wild), 'breeding', 'education'.",
        "value_illustration",
    ),
)
