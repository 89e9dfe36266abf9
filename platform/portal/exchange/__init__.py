"""What crosses process walls: letters and stored files. Knows no models."""
