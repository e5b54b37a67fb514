"""Spider2-V: data-engineering work on a desktop. Here are its tasks, set-up steps, getters, metrics and accounts.

The desktop itself is behind the protocol `Guest`. `evaluate.evaluate` judges a task in an `EvaluationContext`;
`steps.run_steps` sets one up.
"""
