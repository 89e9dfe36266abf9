"""Codes of our rules: who asks, what may be submitted, what a request may be."""

from __future__ import annotations

from portal.codes.entry import Code

OF_POLICY = (
    # Who asks, and what for
    Code(
        "policy.sign_in",
        "Sign in first",
        "This wants to know who asks, and no valid token, session, or name and password came "
        "with it.",
        "Sign in, or send `Authorization: Bearer plb_…`; `plumbline login` and the account "
        "page make tokens.",
        status=401,
    ),
    Code(
        "policy.too_many_tries",
        "Too many tries",
        "Too many wrong passwords came for one name from one address.",
        "Wait for ten minutes.",
        status=429,
        retry_after=600,
    ),
    Code(
        "policy.too_many_requests",
        "Too many requests",
        "More requests came in a short time than one sender may make.",
        "Wait for the seconds of Retry-After.",
        status=429,
        retry_after=60,
    ),
    Code(
        "policy.forbidden",
        "This is not yours to open",
        "You are signed in as somebody who may not do this. Nothing was changed.",
        "Sign in as somebody who may.",
        status=403,
    ),
    Code(
        "policy.csrf",
        "This form is no longer valid",
        "The form was opened before you signed in or in another browser, cookies are switched "
        "off, or another site sent the request. Nothing was changed.",
        "Go back, reload the page and send it again; scripts use a token instead.",
        status=403,
    ),
    Code(
        "policy.not_found",
        "Not found",
        "Nothing stands at this address, or it is not yours to see.",
        "Check the address; the boards and the API's `/api/v1/docs` lead to everything public.",
        status=404,
    ),
    Code(
        "policy.benchmark_not_found",
        "No such benchmark",
        "There is no public benchmark, version or track of that name.",
        "`plumbline board` lists what there is.",
        status=404,
    ),
    Code(
        "policy.board_not_found",
        "No such board",
        "There is no board, row or comparison at that address, or not yet.",
        "Look at the benchmark's page for its tracks.",
        status=404,
    ),
    Code(
        "policy.submission_not_found",
        "No such submission",
        "There is no such submission among yours.",
        "Your submissions are listed at `/submissions/`.",
        status=404,
    ),
    Code(
        "policy.upload_not_found",
        "No such upload",
        "There is no such upload among yours.",
        "Begin one; `plumbline submit` does it for files beyond the form's limit.",
        status=404,
    ),
    Code(
        "policy.evaluation_not_found",
        "No such evaluation",
        "A letter or a command named an evaluation that does not exist.",
        "Nothing: it is dropped.",
        status=404,
    ),
    Code(
        "policy.token_not_found",
        "No such token",
        "There is no token of that prefix among yours.",
        "Your account page lists them.",
        status=404,
    ),
    Code(
        "policy.state",
        "Not possible in this state",
        "The thing exists, yet is in a state that forbids this step: what is withdrawn stays "
        "withdrawn, what is open stays as it is.",
        "Look at its state first.",
        status=409,
    ),
    # What may be submitted
    Code(
        "policy.closed",
        "This version takes no submissions",
        "The version is not open yet, or closed.",
        "Submit to an open version; the benchmark's page names them.",
        status=422,
    ),
    Code(
        "policy.reference_only",
        "This version holds results only",
        "It shows published results and has no questions; nothing can be scored on it.",
        "Choose a version that has questions.",
        status=422,
    ),
    Code(
        "policy.track",
        "No such track",
        "The version has no track of that name.",
        "Use one of those that are named.",
        status=422,
    ),
    Code(
        "policy.system_name",
        "The system's name cannot stand",
        "The name is empty, too long, or holds characters that hide or reorder others.",
        "Give it a plain name of at most a hundred characters.",
        status=422,
    ),
    Code(
        "policy.facets",
        "The facets cannot stand",
        "A facet of the system is missing, not known, or has a value that is not known.",
        "State the facets that the benchmark's page lists, each with one of its values.",
        status=422,
    ),
    Code(
        "policy.url",
        "The link cannot stand",
        "A link beside a row begins with https:// and names a public host.",
        "Give such a link, or none.",
        status=422,
    ),
    Code(
        "policy.quota",
        "The quota is spent",
        "Your team has sent as many files as it may today, in all, or at once. The detail says "
        "which, and when the next one is taken. Rejected files and faults of ours use no quota.",
        "Wait until then, and check files with `plumbline validate` before you send them.",
        status=429,
    ),
    Code(
        "policy.no_file",
        "No file in it",
        "The form came without a file in the field `file`.",
        "Choose the file and send it again.",
        status=422,
    ),
    Code(
        "policy.no_direct_uploads",
        "Files come by the form only",
        "The store of this site takes no files in parts.",
        "Send the file with the form, up to the limit that the submit page says.",
        status=422,
    ),
    Code(
        "policy.upload_incomplete",
        "Parts of the file are missing",
        "Not every part of the upload has arrived in its full size, or one has changed.",
        "Ask for the state of the upload, send the parts that it names, then submit again; "
        "`plumbline submit` does so by itself.",
        status=409,
    ),
    Code(
        "policy.upload_ended",
        "The upload is over",
        "It was ended, it expired, or a submission has used it. What had arrived is gone.",
        "Begin the upload anew.",
        status=409,
    ),
    Code(
        "policy.idempotency_key",
        "The idempotency key cannot stand",
        "A key has 1 to 200 printable ASCII characters without blanks.",
        "Use a random one, such as a UUID, for each submission.",
        status=422,
    ),
    Code(
        "policy.IDEMPOTENCY_MISMATCH",
        "The idempotency key belongs to another submission",
        "The same key came before with another file or for another track.",
        "Take a new key for a new submission; keep a key only to repeat a request.",
        status=422,
    ),
    # What a request may be
    Code(
        "policy.too_large",
        "Too large",
        "The request or the file is larger than this address takes. Nothing was stored.",
        "A file may be as large as the submit page says; leave out what no answer needs.",
        status=413,
    ),
    Code(
        "policy.encoding",
        "Compressed requests are not read here",
        "The request came with a Content-Encoding.",
        "Send the file as it is.",
        status=415,
    ),
    Code(
        "policy.framing",
        "The length of the request is ambiguous",
        "Content-Length is no number, stands there twice, or beside Transfer-Encoding.",
        "Send one of the two, once; every HTTP library does.",
        status=400,
    ),
    Code(
        "policy.headers",
        "Too many headers",
        "The request has more headers than are read.",
        "Send fewer.",
        status=431,
    ),
    Code(
        "policy.slow",
        "The request took too long",
        "The body came too slowly, or not at all. Nothing was stored.",
        "Send it again over a steadier line; with the same Idempotency-Key it makes one "
        "submission.",
        status=408,
    ),
    Code(
        "policy.host",
        "This is not the name of this site",
        "The request names a host that this site does not go by.",
        "Open the site by its own address.",
        status=400,
    ),
)
