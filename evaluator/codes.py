"""The closed list of what can be wrong with a predictions file: word, meaning, what to do.

A `Problem` bears one of these words. A site prefixes them with `input.`; within a
list of problems they stand bare.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ProblemKind:
    """One kind of fault of a file.

    Attributes:
        word: stable and upper-case, for example `UNKNOWN_ID`.
        title: the kind in a few words.
        meaning: a sentence or two about every such fault.
        remedy: what its author can do.
    """

    word: str
    title: str
    meaning: str
    remedy: str


PROBLEM_KINDS: Mapping[str, ProblemKind] = {
    kind.word: kind
    for kind in (
        # The file as a whole
        ProblemKind(
            "CONTAINER",
            "Not a text file",
            "The file is an archive, a program, a picture, a web page or a pickle. "
            "Predictions are JSON or JSON Lines in UTF-8.",
            "Unpack it, or write the answers with a JSON library. `plumbline convert` reads "
            "workbooks.",
        ),
        ProblemKind(
            "ENCODING",
            "Not UTF-8",
            "The file holds bytes that are not UTF-8, or it is UTF-16 or UTF-32.",
            "Save it as UTF-8.",
        ),
        ProblemKind(
            "EMPTY",
            "Nothing in it",
            "The file holds nothing, or only blanks.",
            "Look whether the program that wrote it came to its end, and send it again.",
        ),
        ProblemKind(
            "SYNTAX",
            "Not JSON",
            "The text breaks the grammar of JSON at the place that is named. A file that was "
            "cut off breaks it at its end.",
            "Write it with a JSON library, and check that it was written whole.",
        ),
        ProblemKind(
            "TOP_LEVEL",
            "Another form at the top",
            "The outermost value is not the object, or the list, that the track wants.",
            "Compare it with the example on the submit page.",
        ),
        ProblemKind(
            "DEPTH",
            "Nested too deep",
            "Lists and objects are nested deeper than any predictions are.",
            "Write each answer in the form that the track describes.",
        ),
        ProblemKind(
            "COUNT",
            "Too many",
            "The file, a list in it or one question holds more entries than the limit.",
            "Keep the best ones; the limit stands beside the place.",
        ),
        ProblemKind(
            "DERIVED",
            "Results instead of answers",
            "The file holds scores, ratings or judged answers that were made from replies. "
            "Nothing can be scored again from them.",
            "Send the log with the model's own replies.",
        ),
        ProblemKind(
            "BENCHMARK",
            "Made for something else",
            "The file names another benchmark, version or track than the one it was sent to.",
            "Send it to the one that it names, or correct its head if the answers are meant "
            "for this one.",
        ),
        # Keys and values
        ProblemKind(
            "DUPLICATE_KEY",
            "A key twice",
            "An object, or a table's head, has the same key twice; which value counts cannot "
            "be known.",
            "Write each key once.",
        ),
        ProblemKind(
            "UNKNOWN_FIELD",
            "A field that is not known",
            "An object has a key that this form does not know. It may be a misspelling of one "
            "that it does.",
            "Use the keys that are listed beside it, and leave the others out.",
        ),
        ProblemKind(
            "MISSING_FIELD",
            "A field is missing",
            "An object lacks a key that the form wants.",
            "Add it.",
        ),
        ProblemKind(
            "TYPE",
            "Another kind of value",
            "The value is of another JSON type than wanted: a text where a list should be, "
            "null where a number should be.",
            "Write the kind of value that is named beside it.",
        ),
        ProblemKind(
            "VALUE",
            "Not one of the values",
            "The value is of the right type, yet not among those that are allowed there.",
            "Choose one of the values that are named beside it. Letters count as written, "
            "without blanks.",
        ),
        ProblemKind(
            "DUPLICATE_VALUE",
            "A value twice",
            "A list that wants each value once holds one twice. The families of today read "
            "answers as sets, where a repeat changes nothing.",
            "Write each value once.",
        ),
        ProblemKind(
            "LENGTH",
            "Another number of entries",
            "A list, or a row of a table, has more or fewer entries than its form wants.",
            "Write as many as named: a box has four numbers.",
        ),
        ProblemKind(
            "STRING",
            "A text that cannot stand",
            "A text is too long, or holds control, invisible, direction or half characters.",
            "Shorten it, or leave those characters out.",
        ),
        ProblemKind(
            "NUMBER",
            "A number that cannot stand",
            "A number is not finite (NaN, Infinity), too long, or beyond ±2^53.",
            "Leave such an item out, or mend what computed it.",
        ),
        ProblemKind(
            "SCORE_RANGE",
            "A score outside 0 to 1",
            "A score is below 0 or above 1.",
            "Scale the scores of all detections alike.",
        ),
        ProblemKind(
            "BOX_ORDER",
            "A box without area",
            "The second corner of a box is not beyond the first.",
            "Write x1, y1, x2, y2 in pixels, not x, y, width and height.",
        ),
        ProblemKind(
            "BOX_RANGE",
            "A box outside the image",
            "A corner of a box lies outside the image.",
            "Write pixels of the original image, not of a resized one, and clip them to it.",
        ),
        # Questions and answers
        ProblemKind(
            "UNKNOWN_ID",
            "No such question",
            "An id, an image or a class is not one of this benchmark and track.",
            "Take ids as `plumbline questions` gives them.",
        ),
        ProblemKind(
            "DUPLICATE_ID",
            "A question answered twice",
            "Two items answer the same question; which of them counts cannot be known.",
            "Keep one item for each question.",
        ),
        ProblemKind(
            "DUPLICATE_ITEM",
            "A detection twice",
            "The very same detection stands in the file twice.",
            "Keep one of them.",
        ),
        ProblemKind(
            "EMPTY_LIST",
            "No detection at all",
            "The file is well formed and holds no detection.",
            "Look whether a threshold or a filter took all of them away.",
        ),
        ProblemKind(
            "INCOMPLETE",
            "Questions without an answer",
            "Some questions of the track have no item.",
            "Answer every question; an empty answer is an abstention and is counted as one.",
        ),
    )
}
