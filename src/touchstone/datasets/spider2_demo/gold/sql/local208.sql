SELECT d.name, COUNT(*) FROM samples AS s JOIN departments AS d ON d.dept_code = s.dept_code WHERE LOWER(TRIM(s.priority)) = 'urgent' GROUP BY d.dept_code ORDER BY COUNT(*) DESC LIMIT 1
