"""What can be read from run directories: plots and comparisons. Nothing here runs an episode."""
