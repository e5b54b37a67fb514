SELECT SUM(p.amount_cents) / 100.0 FROM payments AS p WHERE p.repair_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM repairs AS r WHERE r.repair_id = p.repair_id)
