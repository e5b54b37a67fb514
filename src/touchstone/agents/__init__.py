"""Whatever plays an episode. Each agent is one file; it sees a stage and, if it needs one, a model."""
