SELECT COUNT(*) FROM films WHERE country LIKE '%France%'
