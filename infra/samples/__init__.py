"""The sample benchmark: scenes, questions and systems that exist nowhere but here."""
