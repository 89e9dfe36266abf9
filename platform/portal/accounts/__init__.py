"""Who: users, teams, tokens."""
