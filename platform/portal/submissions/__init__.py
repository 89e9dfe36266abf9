"""What: systems and the answers they gave."""
