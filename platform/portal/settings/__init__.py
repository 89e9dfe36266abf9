"""Settings: the only place, with the top of `exchange`, that reads the environment."""
