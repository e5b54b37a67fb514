SELECT COUNT(*) FROM patients
