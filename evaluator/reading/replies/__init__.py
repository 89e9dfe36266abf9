"""What models really say, read into letters: never a guess, never a wrong letter.

In order: failures and refusals are no answer; reasoning is dropped; ornament
is removed; the last declaration wins; else a leading letter; else the text of
one option. Only letters of the question exist. A score names the reader's version.
"""

from evaluator.reading.replies.reader import READER_VERSION, first_letter, read_reply

__all__ = ["READER_VERSION", "first_letter", "read_reply"]
