SELECT MAX(taken_at) FROM samples
