"""Rows of a log and questions of a track: by question id, else by the exact prompt."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from pathlib import PurePosixPath

from evaluator.asking import Asked
from evaluator.errors import Problems, quote
from evaluator.reading.harness.rows import Log, Row
from evaluator.reading.limits import MAX_COUNTED
from evaluator.reading.replies import is_failure
from evaluator.reading.replies.texts import folded

MAX_SHOWN = 3  # kinds of failure, first ids
_OPTION_LINE = re.compile(r"^[ \t]*\(?([A-Z])[).:][ \t]+(.*)$", re.MULTILINE)


def join(log: Log, asked: Sequence[Asked], where_from: str, problems: Problems) -> dict[int, Row]:
    """The row of each question that the log answers, by the question's place in `asked`.

    A row whose options stand in another order than the question's would turn
    letters into other answers: it is a problem, as is a question answered twice.

    Args:
        where_from: the benchmark and track, as a message names them.
    """
    index = _Index(asked)
    found: dict[int, Row] = {}
    lost: list[Row] = []
    for row in log.rows:
        if problems.n_problems >= MAX_COUNTED:
            break
        numbers = index.numbers_of(row)
        if not numbers:
            lost.append(row)
            continue
        if len(numbers) > 1:
            problems.add(
                "VALUE",
                row.where,
                f"a prompt that {len(numbers)} questions share",
                "a question_id, which tells them apart",
                "plumbline export writes a task that logs it.",
            )
            continue
        number = numbers[0]
        question = asked[number]
        if number in found:
            hint = "A log may hold each row once per filter, or two runs: keep one."
            problems.add("DUPLICATE_ID", row.where, quote(question.id), "each question once", hint)
        elif row.n_replies > 1:
            problems.add(
                "COUNT", row.where, f"{row.n_replies} different replies", "one reply to a question"
            )
        elif not _agrees(row, question):
            problems.add(
                "VALUE",
                row.where,
                f"other options than question {question.id} has, or in another order",
                "the options and letters of the question as it is published",
            )
        found.setdefault(number, row)
    _tell_lost(log, lost, asked, where_from, problems)
    return found


class _Index:
    """Questions by id, by prompt, and by prompt with what is shown."""

    def __init__(self, asked: Sequence[Asked]) -> None:
        self.by_id = {question.id: number for number, question in enumerate(asked)}
        self.by_prompt: dict[str, list[int]] = defaultdict(list)
        self.media = [PurePosixPath(question.media).stem for question in asked]
        for number, question in enumerate(asked):
            for prompt in {question.prompt, question.body}:
                self.by_prompt[_squeezed(prompt)].append(number)

    def numbers_of(self, row: Row) -> list[int]:
        """The questions that a row may answer; one where it is certain."""
        for id_ in row.ids:
            if id_ in self.by_id:
                return [self.by_id[id_]]
        options = [f"{letter}. {wording}" for letter, wording in row.options.items()]
        numbers = self.by_prompt.get(_squeezed("\n".join((row.prompt, *options))), [])
        numbers = numbers or self.by_prompt.get(_squeezed(row.prompt), [])
        if len(numbers) > 1 and row.media:
            stem = PurePosixPath(row.media).stem
            return [n for n in numbers if self.media[n] == stem] or numbers
        return numbers


def _squeezed(prompt: str) -> str:
    """A prompt but for blanks at the ends of lines."""
    return "\n".join(line.strip() for line in prompt.strip().splitlines())


def _agrees(row: Row, question: Asked) -> bool:
    """Whether the options that a row shows are the question's, letter by letter."""
    shown: Mapping[str, str] = row.options or dict(_OPTION_LINE.findall(row.prompt))
    wanted = question.by_letter
    return all(
        folded(shown[letter]) == folded(wanted[letter]) for letter in wanted.keys() & shown.keys()
    )


def _tell_lost(
    log: Log, lost: list[Row], asked: Sequence[Asked], where_from: str, problems: Problems
) -> None:
    if lost and len(lost) == len(log.rows):
        ids = [row.ids[0] for row in lost[:MAX_SHOWN] if row.ids]
        named = ", ".join(map(quote, ids)) or quote(lost[0].prompt)
        problems.add(
            "BENCHMARK",
            "file",
            f"{log.title}: {len(lost):,} rows of another benchmark or track, such as {named}",
            f"rows of {where_from}, such as {quote(asked[0].id)}",
            "No row names a question of it, by question_id or by its exact prompt. "
            "plumbline export writes the task to run.",
        )
        problems.raise_if_any()
    for row in lost[:MAX_COUNTED]:
        name = row.ids[0] if row.ids else row.prompt
        problems.add("UNKNOWN_ID", row.where, quote(name), f"a question of {where_from}")


def notes_on(log: Log, rows: Collection[Row], n_asked: int) -> list[str]:
    """What a reader of the score should know of a log: where it is from, what is missing or failed.

    Args:
        rows: those that answer a question, of `n_asked`.
    """
    replies = [row.reply for row in rows]
    notes = [f"read from {log.title}, {len(log.rows):,} rows"]
    if len(rows) < n_asked:
        notes.append(f"a partial run: no row for {n_asked - len(rows)} of {n_asked} questions")
    failed = Counter(reply.strip() for reply in replies if reply and is_failure(reply))
    if failed:
        kinds = ", ".join(f"{quote(kind)} {n}" for kind, n in failed.most_common(MAX_SHOWN))
        notes.append(f"{failed.total()} of {len(replies)} requests failed, no answers: {kinds}")
    n_empty = sum(reply is None or not reply.strip() for reply in replies)
    if n_empty:
        notes.append(f"{n_empty} of {len(replies)} replies are null or empty, no answers")
    return notes


def why_incomplete(log: Log | None) -> str:
    """What to do about questions that a log does not answer."""
    if log is None:
        return 'Give "answer": [] where the system gives none.'
    return (
        f"The log holds {len(log.rows):,} rows: a run with a limit, cut short, or of one task of "
        "several. Run the rest; the samples files of several tasks may be joined end to end."
    )
