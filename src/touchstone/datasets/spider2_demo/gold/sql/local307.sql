SELECT f.title FROM films AS f WHERE NOT EXISTS (SELECT 1 FROM screenings AS s WHERE s.film_id = f.film_id)
