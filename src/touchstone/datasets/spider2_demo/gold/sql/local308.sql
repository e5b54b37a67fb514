SELECT SUM(amount) FROM sales WHERE category = 'concession' AND LOWER(TRIM(channel)) IN ('online', 'web')
