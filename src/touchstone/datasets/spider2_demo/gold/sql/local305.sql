SELECT COUNT(*) FROM screenings WHERE "date" IN ('2024-09-14', '14 Sep 2024', '2024-09-15', '15 Sep 2024') AND CAST("time" AS INTEGER) < 12
