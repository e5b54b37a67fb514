SELECT ROUND(100.0 * SUM(rejected) / COUNT(rejected), 1) FROM samples
