"""How replies say what the answer is, and how they say that something is not."""

from __future__ import annotations

import re

BOXED = re.compile(r"\\boxed\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
TAG = re.compile(r"<answer[^>]*>(.*?)(?:</answer\s*>|$)", re.IGNORECASE | re.DOTALL)
JSON = re.compile(r"\{[^{}]*\}")
JSON_KEYS = ("answer", "final_answer", "final answer", "choice", "option", "prediction", "答案")
IS = r"\s*(?:\bis\b|\bare\b|\bwould be\b|\bshould be\b|\bmust be\b|\bwill be\b|[:=]|是|为|為|应为)?"
PHRASE = re.compile(
    r"""
    (?<![^\W_])(?:
      (?:the\ |my\ |our\ )?
        (?:(?:most\ )?(?:correct|final|right|best|appropriate|likely|accurate)\ )*
        (?:answers?|options?|choices?)(?:\(s\))?
        (?:\ (?:to\ (?:the|this)\ question|here|letters?|among\ [\w\ ]{1,30}))?
        \s*(?:\bis\b|\bare\b|\bwould\ be\b|\bshould\ be\b|\bmust\ be\b|\bwill\ be\b|[:=])
        (?:\s*(?:therefore|thus|clearly|definitely|most\ likely|likely|probably|option|choice
          |letter)\b)*\s*:?
    | (?:i(?:\ would|'d|\ will|'ll)?|we|so\ i|let's)
        \ (?:pick|choose|select|go\ with|say|answer|vote\ for|opt\ for)
        (?:\ (?:option|choice|answer|letter))?\s*:?
    | (?:it\ (?:is|must\ be)|it's)\ (?:option|choice|answer)
    | (?:antwort|réponse|respuesta|risposta|resposta|odpowied[źz]|ответ|cevap|jawaban)
        (?:\ (?:ist|est|es|è|é|to))?\s*[:=]?
    )
    | (?:答案|正确答案|正確答案|最终答案|正解|答え|정답|答)
        \s*(?:应该是|應該是|应为|應為|是|为|為|は|은|는)?\s*[:=]?
    | (?:应该选择?|應該選擇?|选择|選擇|选(?!项)|選(?!項)|故选)\s*(?:是|为|為)?\s*[:=]?
    """,
    re.IGNORECASE | re.VERBOSE,
)
VERDICT = re.compile(
    r"(?<![^\W_'’])[(\[]?([A-Z])[)\]]?\s*(?:is|was|seems|must be|是)\s*"
    r"(?:the\s+|definitely\s+|clearly\s+|most\s+likely\s+)*"
    r"(?:correct|right|best|most (?:accurate|appropriate)|answer\b|正确|正確|对|對)(?![^\W_]*ly\b)"
)
# "Option B" by itself says little: it may be the one that is ruled out.
MENTION = re.compile(
    r"(?:(?<![^\W_])[Oo]ption|(?<![^\W_])[Cc]hoice|选项|選項)\s*[(\[]?([A-Z])[)\]]?(?![^\W_])"
)
RULED_OUT = re.compile(
    r"\W*(?:(?:is|are|was|were|seems?|looks?|can|could|does|do|would|has)\s*"
    r"(?:(?:also|both|all|clearly|definitely|obviously)\s+)*"
    r"(?:not\b|n['’]t|be\s+(?:ruled|excluded|eliminated|discarded)|incorrect|wrong|false|"
    r"invalid|unlikely|ruled|excluded|no\b)|"
    r"(?:isn|aren|doesn|don|can|won|didn|wouldn)['’]?t\b|"
    r"(?:no\b(?!\s*,?\s*\w)|not\s+(?:correct|right|true)\b|(?:incorrect|wrong|false)\b)|错|不)",
    re.IGNORECASE,
)
AGAINST = re.compile(
    r"(?:\bnot|n['’]t|\brul\w+ out|\bexclud\w+|\beliminat\w+|\breject\w+|\bunlike|\bneither|"
    r"\bnor|\bexcept|\brather than|\binstead of|排除|不是|不选)"
    r"[^\w.,:;!?\n]*(?:\w+[^\w.,:;!?\n]+){0,2}$",
    re.IGNORECASE,
)
NEGATED = re.compile(r"\s*(?:not\b|n't|neither\b|never\b|不是|不)", re.IGNORECASE)
HYPOTHESIS = re.compile(
    r"\b(?:if|whether|could|would|can|might|may|is|suppose|assuming)\s*$", re.IGNORECASE
)
NONE = re.compile(
    r"\s*[\"'(]?(?:none\b|neither\b|n/?a\b|unknown\b|unclear\b|"
    r"(?:i\s+)?(?:do\s*n['o]?t|don't|cannot|can't)\b|"
    r"not\s+(?:sure|clear|possible|given|available|provided|determinable)|undetermined|impossible|"
    r"no\s+(?:answer|option|choice)|无法|不知道|不确定|没有)",
    re.IGNORECASE,
)
REFUSAL = re.compile(
    r"^\W*(?:i'?m\s+(?:sorry|unable|not\s+able)|sorry\b|i\s+(?:cannot|can't|can\s+not|am\s+unable|do\s+not|don't)\b|"
    r"unable\s+to\b|as\s+an\s+ai\b|unfortunately\b|抱歉|对不起|很抱歉|我无法|无法)",
    re.IGNORECASE,
)
LIST_LINE = re.compile(r"^\s*(?:[-•·]\s*)?(?:options?\s+)?", re.IGNORECASE)
WORDS = re.compile(r"[^\W\d_]{2,}")

# "Wrong answer: A", "the least likely option is A".
WRONG_ONE = re.compile(
    r"\b(?:wrong|incorrect|false|worst|bad|invalid|unlikely|excluded|eliminated|other|"
    r"(?:least|less)(?:\s+\w+)?)\s+$",
    re.IGNORECASE,
)
# Somebody else's view, or one that the reply does not share.
NOT_MEANT = re.compile(
    r"""(?:
      (?:n['’]t|\b(?:not|never|no|nothing|hardly|cannot))\s+(?:\w+\s+){0,3}
        (?:think|believe|say|claim|sure|certain|evidence|reason|clear|mean|know|suggest|imply
          |indicate|indication|conclude|support|prove|show|true)\w*\s+(?:\w+\s+){0,3}
      | \b(?:doubt|wrong|incorrect|false|untrue|mistaken|misleading|mistake|unlikely|error)\w*\s+
        (?:\w+\s+){0,3}
      | \b(?:some|many|others?|people|one|somebody|someone|you|they|models?|humans?)\s+
        (?:\w+\s+){0,3}(?:say|think|believe|argue|claim|guess|assume|suppose)\w*\s+(?:that\s+)?
      | (?:\bneither|\bnor|\bnone\s+of(?:\s+the\s+options)?|\bnot(?:\s+only)?|\bonly\s+if)\s+
        (?:option\s+)?
      | (?:不|别|勿|并非|不能|不应该?|不会|不可能?)\s*
    )$""",
    re.IGNORECASE | re.VERBOSE,
)
# A list or a doubt ends right before: the letter is not alone.
IN_LIST = re.compile(r"\b[A-Z][)\]]?\s*(?:,|&|/|\band\b|\bor\b|\bnor\b|,\s*(?:and|or))\s*$")
PLURAL_VERDICT = re.compile(
    r"(?<![^\W_'’])((?:[(\[]?[A-Z][)\]]?(?:\s?,(?:\s?and\b)?|\s?&|\s?and\b)\s?){1,25}[(\[]?[A-Z][)\]]?)\s+"
    r"(?:are|were|seem|must be)\s+(?:both\s+|all\s+|the\s+|clearly\s+)*"
    r"(?:correct|right|true|(?:best\s+)?answers)(?![^\W_])(?!\s*\?)"
)
CONCLUSION = re.compile(
    r"\b(?:so|thus|hence|therefore|ergo)\b[,:]?\s+(?:(?:it\s+is|it's|it\s+must\s+be|i'd\s+say|"
    r"must\s+be)\s+)?(?:option\s+)?[(\[]?([A-Z])[)\]]?\s*[.!]?\s*(?:\n|$)",
    re.IGNORECASE,
)
# A line that judges one option: "C - yes", "Option A: incorrect".
JUDGED = re.compile(
    r"^\W*(?:(?:option|choice)\s+)?([A-Z])[)\].:\s–—=-]+(?:.{0,200}?[\s:(–—=-])?"
    r"(yes|no|not?\s+correct|correct|incorrect|true|false|right|wrong)\W*$",
    re.IGNORECASE | re.MULTILINE,
)
BARE_OPTIONS = re.compile(
    r"(?:the\s+|my\s+|our\s+)?(?:options|choices)(?:\(s\))?\s*(?:are|:)", re.I
)
ASKED = re.compile(r"\s+\w[^.!\n]{0,200}[?？]")
JUDGEMENT = re.compile(r"yes|no|not?\s+correct|correct|incorrect|true|false|right|wrong")
