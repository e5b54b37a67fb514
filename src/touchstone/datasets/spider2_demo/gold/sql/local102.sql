SELECT MAX(hourly_rate) FROM mechanics
