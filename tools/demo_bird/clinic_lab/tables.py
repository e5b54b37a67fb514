"""The tables of clinic_lab, and what their columns mean."""

from demo_bird.model import Column, Table

DEPARTMENTS = Table(
    "departments",
    (
        Column("dept_code", "TEXT", "code of the department", "two digits, with leading zeros", "PRIMARY KEY"),
        Column("name", "TEXT", "name of the department"),
        Column("site", "TEXT", "site of the hospital", "North or South"),
    ),
)

PATIENTS = Table(
    "patients",
    (
        Column("patient_no", "TEXT", "number of the patient", "six digits, with leading zeros", "PRIMARY KEY"),
        Column("sex", "TEXT", "sex of the patient", "F, f, female / M, m, male / X; empty if not given"),
        Column("birth_date", "TEXT", "day of birth", "YYYY-MM-DD or DD.MM.YYYY; empty if not known"),
        Column("postcode", "TEXT", "postcode of the home", "five digits; an import dropped some leading zeros"),
        Column("insurance", "TEXT", "kind of insurance", "statutory, private; typed by hand"),
    ),
)

TESTS = Table(
    "tests",
    (
        Column("test_code", "TEXT", "code of the test", "", "PRIMARY KEY"),
        Column("test name", "TEXT", "name of the test"),
        Column("group", "TEXT", "group the test belongs to"),
        Column("unit", "TEXT", "unit of the results"),
        Column("low", "REAL", "lower end of the reference range", "empty: there is none"),
        Column("high", "REAL", "upper end of the reference range", "empty: there is none"),
    ),
)

SAMPLES = Table(
    "samples",
    (
        Column("sample_id", "INTEGER", "number of the sample", "", "PRIMARY KEY"),
        Column("patient_no", "TEXT", "patient", "some are not on file", "REFERENCES patients (patient_no)"),
        Column(
            "dept_code",
            "TEXT",
            "department that sent the sample",
            "NULL or empty text if it was not noted",
            "REFERENCES departments (dept_code)",
        ),
        Column("taken_at", "TEXT", "when the sample was taken", "YYYY-MM-DD HH:MM"),
        Column("priority", "TEXT", "how soon it is needed", "routine, urgent; typed by hand; empty: routine"),
        Column("rejected", "INTEGER", "whether the laboratory sent it back", "1 yes, 0 no, empty: not noted"),
    ),
)

RESULTS = Table(
    "results",
    (
        Column("result_id", "INTEGER", "number of the result", "", "PRIMARY KEY"),
        Column("sample_id", "INTEGER", "sample that was tested", "", "REFERENCES samples (sample_id)"),
        Column("test_code", "TEXT", "test that was done", "", "REFERENCES tests (test_code)"),
        Column("run", "INTEGER", "which measurement of this test on this sample", "1, 2, ...; the last one counts"),
        Column(
            "value",
            "TEXT",
            "what was measured",
            "a number as text, with decimal point or comma; or a word (pending, haemolysed); or empty",
        ),
        Column("analyser", "TEXT", "machine that measured it", "A1, A2, B7"),
        Column("reported_at", "TEXT", "when it was reported", "YYYY-MM-DD HH:MM; from B7 DD.MM.YYYY HH:MM"),
    ),
)

TABLES = (DEPARTMENTS, PATIENTS, TESTS, SAMPLES, RESULTS)
