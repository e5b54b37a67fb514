SELECT COUNT(*) FROM repairs WHERE LOWER(TRIM(status)) = 'cancelled'
