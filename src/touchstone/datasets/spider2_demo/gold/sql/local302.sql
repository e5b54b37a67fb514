SELECT MAX(seats) FROM venues
