SELECT COUNT(DISTINCT juror) FROM jury_scores
