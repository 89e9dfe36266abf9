"""What the portal refuses on purpose: stable code, HTTP status, a sentence that helps.

Messages say what was found, what was expected and what to do. They never quote
truth, a path of the server or a key.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.errors import Problem


class PortalError(Exception):
    """Root of the portal's refusals.

    Attributes:
        code: stable, dotted for policy (`policy.closed`), permanent once published.
        status: the HTTP status that an interface answers with.
        title: what kind of refusal this is, in a few words.
        detail: this case, in a sentence or two.
        problems: faults of a submitted file, where the refusal is about one.
        retry_after: seconds after which it is worth trying again.
    """

    code = "portal.error"
    status = 400
    title = "The request cannot be carried out"

    def __init__(
        self,
        detail: str,
        *,
        code: str | None = None,
        problems: Sequence[Problem] = (),
        retry_after: int | None = None,
    ) -> None:
        super().__init__(detail)
        self.detail = detail
        self.code = code or self.code
        self.problems = tuple(problems)
        self.retry_after = retry_after


class NotFound(PortalError):
    """No such thing, or not for these eyes: the answer is the same."""

    code = "not_found"
    status = 404
    title = "Not found"


class BenchmarkNotFound(NotFound):
    code = "benchmark.not_found"


class SubmissionNotFound(NotFound):
    code = "submission.not_found"


class EvaluationNotFound(NotFound):
    code = "evaluation.not_found"


class DocumentNotFound(NotFound):
    code = "board.not_found"


class SignInRequired(PortalError):
    code = "auth.required"
    status = 401
    title = "Sign in first"


class TooManyTries(PortalError):
    code = "auth.too_many_tries"
    status = 429
    title = "Too many tries"


class PolicyRefused(PortalError):
    """The rules of the benchmark or the site say no; nothing was stored, no quota was used."""

    code = "policy.refused"
    status = 422
    title = "The submission cannot be accepted"


class TooLarge(PolicyRefused):
    code = "policy.too_large"
    status = 413
    title = "The file is too large"


class ContainerRefused(PolicyRefused):
    """The upload is no predictions file at all: an archive, a pickle, nothing."""

    code = "input.CONTAINER"
    status = 415
    title = "This kind of file is not read here"


class IdempotencyMismatch(PolicyRefused):
    code = "IDEMPOTENCY_MISMATCH"
    title = "The idempotency key belongs to another submission"


class StateConflict(PortalError):
    """The thing exists, yet is in a state that forbids this step."""

    code = "state.conflict"
    status = 409
    title = "Not possible in this state"


class BundleRefused(PortalError):
    code = "bundle.refused"
    status = 422
    title = "The bundle cannot be loaded"


class Unavailable(PortalError):
    """A service of ours is away; the same request may succeed later."""

    code = "infra.unavailable"
    status = 503
    title = "Temporarily unavailable"
