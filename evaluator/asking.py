"""A question as a model is asked it: the same words on the site, in an export and in a log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evaluator.choices import LETTERS


@dataclass(frozen=True, slots=True)
class Asked:
    """One question as it is put to a model.

    Attributes:
        text: the question by itself.
        options: wordings in the order of their letters.
        ending: how to answer.
        media: image or source video that it is about; empty where none is shown.
        file: name of the file that is shown: the image, or the clip of this question, cut and
            drawn on as its track says.
        group: what the question belongs to within its track; empty where nothing.
        is_multi: several letters may be right.
        max_tokens: how long a reply may be.
    """

    id: str
    text: str
    options: tuple[str, ...]
    ending: str
    media: str = ""
    file: str = ""
    group: str = ""
    is_multi: bool = False
    max_tokens: int = 16

    @property
    def body(self) -> str:
        """The question and its lettered options."""
        return "\n".join((self.text, *lettered(self.options)))

    @property
    def prompt(self) -> str:
        """The whole prompt."""
        return f"{self.body}\n{self.ending}"

    @property
    def by_letter(self) -> Mapping[str, str]:
        """Wording by letter, as the reader of replies wants it."""
        return dict(zip(LETTERS, self.options, strict=False))


def lettered(options: Sequence[str]) -> list[str]:
    """Options as they stand in a prompt, a line each."""
    return [f"{letter}. {option}" for letter, option in zip(LETTERS, options, strict=False)]
