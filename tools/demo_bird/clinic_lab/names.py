"""The departments and tests of clinic_lab. The reference ranges are plausible, not medical advice."""

DEPARTMENTS = (
    ("01", "Emergency", "North"),
    ("02", "Intensive Care", "North"),
    ("03", "Internal Medicine", "North"),
    ("04", "Surgery", "South"),
    ("06", "Oncology", "South"),
    ("07", "Cardiology", "North"),
    ("09", "Nephrology", "North"),
    ("11", "Paediatrics", "South"),
)

TESTS = (
    ("K", "Potassium", "Electrolytes", "mmol/l", 3.5, 5.1),
    ("NA", "Sodium", "Electrolytes", "mmol/l", 136.0, 145.0),
    ("CL", "Chloride", "Electrolytes", "mmol/l", 98.0, 107.0),
    ("GLU", "Glucose", "Metabolism", "mmol/l", 3.9, 6.1),
    ("UA", "Uric acid", "Metabolism", "µmol/l", 140.0, 420.0),
    ("CHOL", "Total cholesterol", "Lipids", "mmol/l", None, 5.2),
    ("HDL", "HDL cholesterol", "Lipids", "mmol/l", 1.0, None),
    ("LDL", "LDL cholesterol", "Lipids", "mmol/l", None, 3.0),
    ("TRIG", "Triglycerides", "Lipids", "mmol/l", None, 1.7),
    ("HB", "Haemoglobin", "Blood count", "mmol/l", 7.4, 10.7),
    ("WBC", "Leukocytes", "Blood count", "10^9/l", 4.0, 10.0),
    ("PLT", "Platelets", "Blood count", "10^9/l", 150.0, 400.0),
    ("CREA", "Creatinine", "Kidney", "µmol/l", 45.0, 104.0),
    ("UREA", "Urea", "Kidney", "mmol/l", 2.8, 8.1),
    ("CRP", "C-reactive protein", "Inflammation", "mg/l", None, 5.0),
    ("TSH", "Thyrotropin", "Thyroid", "mIU/l", 0.4, 4.0),
)

POSTCODES = ("01067", "01069", "01097", "01129", "01219", "01307", "02625", "02826", "04103", "09111", "10115", "99084")
