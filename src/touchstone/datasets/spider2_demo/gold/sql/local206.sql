SELECT ROUND(AVG(CAST(REPLACE(value, ',', '.') AS REAL)), 2) FROM results WHERE test_code = 'K' AND value GLOB '[0-9]*'
