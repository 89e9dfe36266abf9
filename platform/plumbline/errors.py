"""What can go wrong between a client and a site, each with a sentence for a person."""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.errors import Problem


class PlumblineError(Exception):
    """Root of what the client raises on purpose; `sentence` says what to do."""

    code = "client"

    def __init__(self, sentence: str) -> None:
        self.sentence = sentence
        super().__init__(sentence)


class AddressInvalid(PlumblineError):
    """The site's address is not one."""

    code = "address"


class FileTooLarge(PlumblineError):
    """The site takes no file of that size; nothing was sent."""

    code = "policy.too_large"


class FileChanged(PlumblineError):
    """Somebody wrote to the file while it was sent; nothing was handed in."""

    code = "file"


class ServerUnreachable(PlumblineError):
    """No answer came from `host`, after the tries that were safe."""

    code = "unreachable"

    def __init__(self, host: str, sentence: str) -> None:
        self.host = host
        super().__init__(sentence)


class AnswerNotUnderstood(PlumblineError):
    """Something answered, but not as this API does."""

    code = "not_understood"


class ApiError(PlumblineError):
    """The site refused, and said why.

    Attributes:
        status: HTTP status.
        code: of the site's closed list, for example `policy.closed`.
        remedy: what helps against faults of that code, where the site says so.
        problems: faults of a predictions file, the first 20.
        n_problems: all of them.
        retry_after: seconds after which it may be asked again, where the site says so.
    """

    def __init__(
        self,
        sentence: str,
        *,
        status: int,
        code: str,
        remedy: str = "",
        problems: Sequence[Problem] = (),
        n_problems: int | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(sentence)
        self.status = status
        self.code = code
        self.remedy = remedy
        self.problems = tuple(problems)
        self.n_problems = len(self.problems) if n_problems is None else n_problems
        self.retry_after = retry_after


class NotSignedIn(ApiError):
    """No token, or one that is expired, revoked or unknown there."""


class NotFound(ApiError):
    """The site has nothing of that name."""
