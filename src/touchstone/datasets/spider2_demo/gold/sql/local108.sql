SELECT COUNT(*) FROM repairs WHERE received LIKE '2024-03-%' OR received LIKE '__/03/2024'
