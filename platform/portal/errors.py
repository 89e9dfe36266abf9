"""What the portal refuses on purpose: a code of the closed list, and this case in a sentence.

Messages say what was found, what was expected and what to do. They never quote
truth, a path of the server or a key.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.errors import Problem
from portal.codes import code_of, refusal_of


class PortalError(Exception):
    """Root of the portal's refusals; a code that is not on the list cannot be raised.

    Attributes:
        code: of the closed list, permanent once published; a kind of refusal may fix it.
        status: the HTTP status that an interface answers with.
        title: what kind of refusal this is, in a few words.
        detail: this case, in a sentence or two.
        remedy: what helps against refusals of this kind.
        problems: faults of a submitted file, where the refusal is about one.
        retry_after: seconds after which it is worth trying again.
    """

    code = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.code:
            refusal_of(cls.code)

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        problems: Sequence[Problem] = (),
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        entry, self.status = refusal_of(code or self.code)
        self.code = entry.code
        self.title = entry.title
        self.detail = detail
        self.remedy = entry.remedy
        self.problems = tuple(problems)
        self.retry_after = entry.retry_after if retry_after is None else retry_after


class NotFound(PortalError):
    """No such thing, or not for these eyes: the answer is the same."""

    code = "policy.not_found"


class BenchmarkNotFound(NotFound):
    code = "policy.benchmark_not_found"


class SubmissionNotFound(NotFound):
    code = "policy.submission_not_found"


class UploadNotFound(NotFound):
    code = "policy.upload_not_found"


class EvaluationNotFound(NotFound):
    code = "policy.evaluation_not_found"


class DocumentNotFound(NotFound):
    code = "policy.board_not_found"


class TokenNotFound(NotFound):
    code = "policy.token_not_found"


class SignInRequired(PortalError):
    code = "policy.sign_in"


class TooManyTries(PortalError):
    code = "policy.too_many_tries"


class PolicyRefused(PortalError):
    """The rules of the benchmark or the site say no; nothing was stored, no quota was used.

    Whoever raises it names the rule by its code.
    """


class QuotaSpent(PolicyRefused):
    """As many as a team may send; `retry_after` says when there is one more, if ever."""

    code = "policy.quota"


class TooLarge(PolicyRefused):
    code = "policy.too_large"


class ContainerRefused(PolicyRefused):
    """The upload is no predictions file at all: an archive, a pickle, nothing."""

    code = "input.CONTAINER"


class IdempotencyMismatch(PolicyRefused):
    code = "policy.IDEMPOTENCY_MISMATCH"


class StateConflict(PortalError):
    """The thing exists, yet is in a state that forbids this step."""

    code = "policy.state"


class UploadIncomplete(StateConflict):
    code = "policy.upload_incomplete"


class UploadEnded(StateConflict):
    code = "policy.upload_ended"


class BundleRefused(PortalError):
    code = "input.bundle"


class Unavailable(PortalError):
    """A service of ours is away; the same request may succeed later.

    Without words of its own it says what the list says of its code.
    """

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(detail or code_of(code).meaning, code=code)
