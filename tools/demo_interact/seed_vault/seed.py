"""What one may ask about the seed and the plants."""

from demo_interact.model import FollowUp, Hidden, Task, Vague

SEED = (
    Task(
        ambiguous="Which accessions should we look after first? Number, species and the figure, the top ten.",
        clear="Which ten active accessions have the highest Conservation Urgency: the red list weight of the species (LC 1, "
        "NT 2, VU 3, EN 5, CR 8, DD or not assessed 2) times 100 minus the germination rate of the latest finished test (by "
        "start, then test_id) in which seed was sown, with counts above sown taken as sown? Give accession number, scientific "
        "name and the urgency with two decimals, highest first, equal ones by accession number.",
        sql="""
            WITH tests AS (
                SELECT t.accession_no,
                       100.0 * LEAST(t.germinated, t.sown) / t.sown AS rate,
                       ROW_NUMBER() OVER (PARTITION BY t.accession_no ORDER BY t.started_on DESC, t.test_id DESC) AS place
                FROM germination_tests AS t
                WHERE t.ended_on IS NOT NULL AND t.sown > 0
            )
            SELECT a.accession_no, s.scientific_name,
                   ROUND(CASE s.red_list WHEN 'LC' THEN 1 WHEN 'NT' THEN 2 WHEN 'VU' THEN 3 WHEN 'EN' THEN 5 WHEN 'CR' THEN 8
                       ELSE 2 END * (100 - t.rate), 2) AS urgency
            FROM accessions AS a
            JOIN species AS s ON s.species_id = a.species_id
            JOIN tests AS t ON t.accession_no = a.accession_no AND t.place = 1
            WHERE a.status = 'active'
            ORDER BY urgency DESC, a.accession_no
            LIMIT 10
        """,
        knowledge=(
            "Conservation Urgency (CU)",
            "Red List Weight (RLW)",
            "Current Viability (CV)",
            "Germination Rate (GR)",
            "Finished Test",
            "species.red_list",
        ),
        critical=(
            Vague("knowledge_linking", "look after first", "ELSE 2 END * (100 - t.rate)"),
            Vague("semantic", "accessions", "a.status = 'active'"),
        ),
        minor=(
            Vague("rank", "the top ten", "LIMIT 10", mask=False),
            Vague("sort", "first", "ORDER BY urgency DESC, a.accession_no", mask=False),
        ),
        hidden=(
            Hidden(
                "Red List Weight (RLW)",
                "WHEN 'LC' THEN 1 WHEN 'NT' THEN 2 WHEN 'VU' THEN 3 WHEN 'EN' THEN 5 WHEN 'CR' THEN 8 ELSE 2 END",
            ),
        ),
        order=True,
        decimal=2,
        high_level=True,
        follow_up=FollowUp(
            "aggregation",
            "Now by family instead of single accessions: the average urgency of all active accessions that have such a test, "
            "with two decimals, and how many there are, for families with at least five of them, highest average first.",
            """
            WITH tests AS (
                SELECT t.accession_no,
                       100.0 * LEAST(t.germinated, t.sown) / t.sown AS rate,
                       ROW_NUMBER() OVER (PARTITION BY t.accession_no ORDER BY t.started_on DESC, t.test_id DESC) AS place
                FROM germination_tests AS t
                WHERE t.ended_on IS NOT NULL AND t.sown > 0
            )
            SELECT s.family,
                   ROUND(AVG(CASE s.red_list WHEN 'LC' THEN 1 WHEN 'NT' THEN 2 WHEN 'VU' THEN 3 WHEN 'EN' THEN 5
                       WHEN 'CR' THEN 8 ELSE 2 END * (100 - t.rate)), 2) AS avg_urgency,
                   COUNT(*) AS accessions
            FROM accessions AS a
            JOIN species AS s ON s.species_id = a.species_id
            JOIN tests AS t ON t.accession_no = a.accession_no AND t.place = 1
            WHERE a.status = 'active'
            GROUP BY s.family
            HAVING COUNT(*) >= 5
            ORDER BY avg_urgency DESC
            """,
            (
                "Conservation Urgency (CU)",
                "Red List Weight (RLW)",
                "Current Viability (CV)",
                "Germination Rate (GR)",
                "Finished Test",
            ),
            order=True,
            decimal=2,
        ),
    ),
    Task(
        ambiguous="What share of the tests went well on each substrate?",
        clear="For each substrate, how many finished germination tests (with an end date) were there, and what percentage of "
        "them was successful, with a germination rate of at least 75 per cent? A test in which nothing was sown counts as a "
        "test but not as a success; counts above sown are taken as sown. Give substrate, number of tests and the percentage "
        "with one decimal.",
        sql="""
            SELECT t.substrate, COUNT(*) AS tests,
                   ROUND(100.0 * COUNT(*) FILTER (
                       WHERE 100.0 * LEAST(t.germinated, t.sown) / NULLIF(t.sown, 0) >= 75) / COUNT(*), 1) AS successful_pct
            FROM germination_tests AS t
            WHERE t.ended_on IS NOT NULL
            GROUP BY t.substrate
        """,
        knowledge=("Germination Rate (GR)", "Finished Test", "Successful Test"),
        critical=(
            Vague(
                "knowledge_linking",
                "went well",
                "100.0 * LEAST(t.germinated, t.sown) / NULLIF(t.sown, 0) >= 75",
            ),
            Vague("schema_linking", "the tests", "t.ended_on IS NOT NULL"),
        ),
        minor=(
            Vague("divide_zero", "share", "NULLIF(t.sown, 0)", mask=False),
            Vague("decimal", "share", "/ COUNT(*), 1) AS successful_pct", mask=False),
        ),
        hidden=(Hidden("Successful Test", "/ NULLIF(t.sown, 0) >= 75"),),
        decimal=1,
        follow_up=FollowUp(
            "constraint_change",
            "The same, but only for tests at 15 degrees or warmer on threatened species (VU, EN or CR).",
            """
            SELECT t.substrate, COUNT(*) AS tests,
                   ROUND(100.0 * COUNT(*) FILTER (
                       WHERE 100.0 * LEAST(t.germinated, t.sown) / NULLIF(t.sown, 0) >= 75) / COUNT(*), 1) AS successful_pct
            FROM germination_tests AS t
            JOIN accessions AS a ON a.accession_no = t.accession_no
            JOIN species AS s ON s.species_id = a.species_id
            WHERE t.ended_on IS NOT NULL AND t.temp_c >= 15 AND s.red_list IN ('VU', 'EN', 'CR')
            GROUP BY t.substrate
            """,
            ("Germination Rate (GR)", "Finished Test", "Successful Test", "Threatened Species", "species.red_list"),
            decimal=1,
        ),
    ),
    Task(
        ambiguous="How much seed of threatened plants do we hold, by family?",
        clear="For each plant family, how many grams of seed of threatened species (VU, EN, CR) are in active accessions that "
        "lie in a vault? The weight of an accession is its seed count times the thousand-seed weight over 1000; seed that was "
        "not counted weighs 0. Give family and grams with two decimals, heaviest first.",
        sql="""
            SELECT s.family, ROUND(SUM(COALESCE(a.seed_count, 0) * a.thousand_seed_g / 1000), 2) AS grams
            FROM accessions AS a
            JOIN species AS s ON s.species_id = a.species_id
            WHERE s.red_list IN ('VU', 'EN', 'CR') AND a.status = 'active' AND a.vault_id IS NOT NULL
            GROUP BY s.family
            ORDER BY grams DESC
        """,
        knowledge=("Stock Weight (SW)", "Threatened Species", "Held Accession", "species.red_list"),
        critical=(
            Vague("lexical", "How much seed", "COALESCE(a.seed_count, 0) * a.thousand_seed_g / 1000"),
            Vague("knowledge_linking", "threatened plants", "s.red_list IN ('VU', 'EN', 'CR')"),
            Vague("semantic", "hold", "a.status = 'active' AND a.vault_id IS NOT NULL"),
        ),
        minor=(
            Vague("null", "seed", "COALESCE(a.seed_count, 0)", mask=False),
            Vague("sort", "by family", "ORDER BY grams DESC", mask=False),
        ),
        hidden=(Hidden("Threatened Species", "s.red_list IN ('VU', 'EN', 'CR')"),),
        order=True,
        decimal=2,
        follow_up=FollowUp(
            "attribute_change",
            "Rather than the weight, tell me for the same accessions how many different species and how many seeds each family "
            "has, by family; what was not counted is 0 seeds.",
            """
            SELECT s.family, COUNT(DISTINCT s.species_id) AS species, SUM(COALESCE(a.seed_count, 0)) AS seeds
            FROM accessions AS a
            JOIN species AS s ON s.species_id = a.species_id
            WHERE s.red_list IN ('VU', 'EN', 'CR') AND a.status = 'active' AND a.vault_id IS NOT NULL
            GROUP BY s.family
            ORDER BY s.family
            """,
            ("Threatened Species", "Held Accession", "species.red_list"),
            order=True,
        ),
    ),
)
