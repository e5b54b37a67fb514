SELECT COUNT(*) FROM patients WHERE SUBSTR('0' || postcode, -5) LIKE '01%'
