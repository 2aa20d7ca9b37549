"""What a question asks for, read by rules: a time, advice, who said it, an order, a summary, a count.

Each rule is a pattern in a table. A wrong reading of the speaker costs more than none, so it is read from the past
alone ("what did you suggest"), never from a request ("what would you suggest"), and where a question names several, the
one named first counts. Every pattern has a bounded reach: reading takes time linear in the question.
"""

from __future__ import annotations

import re

from moored.model.episodes import Role
from moored.recall.asked import Asked

READ = 2_000
"""Characters that are read of the beginning and of the end: between them stands what was pasted."""


def asked(question: str) -> Asked:
    """What the question asks for. Any text is a valid question."""
    part = question if len(question) <= 2 * READ else f"{question[:READ]}\n{question[-READ:]}"
    text = part.replace("\u2019", "'")
    flags = {name: any(pattern.search(text) for pattern in patterns) for name, patterns in _FLAGS.items()}
    past = flags["summary"] or flags["ordering"] or any(pattern.search(text) for pattern in _OF_THE_PAST)
    advice = flags["advice"] and not past
    return Asked(
        **{**flags, "advice": advice},
        speaker=None if flags["summary"] else _speaker(text, advice),
        worker=next((role for role, pattern in _WORKERS if pattern.search(text)), None),
        meta=_meta(text),
    )


def _patterns(*sources: str) -> tuple[re.Pattern[str], ...]:
    return tuple(re.compile(source, re.IGNORECASE) for source in sources)


def _any(words: str) -> str:
    return f"(?:{'|'.join(words.split())})"


_ASKING = r"(?:can|could|would|will) (?:you|we)(?: please)?"
_AUX = _any("did do does is are am was were will would has have had should can could")
_SOME = r"(?:\w+ ){0,4}"
"""A few words between; never more, so that a rule does not reach into another clause."""

_WENT_WRONG = (
    r"\b(?:errors?|exceptions?|trace ?backs?|stack ?traces?|fail(?:s|ed|ing|ures?)?|crash(?:e[sd])?|panic(?:s|ked)?|"
    r"rejected|broke|went wrong)\b|\b\w+(?:Error|Exception)\b"
)

_FLAGS = {
    "when": _patterns(
        rf"^\W*(?:and |so )?when(?:'s)? (?:\w+ )?{_AUX}\b",
        r"^\W*when (?!(?:i|we|you|they|he|she|it)\b)(?!\w+ing\b)[^,]{1,200}\?\W*$",
        r"\b(?:since|until|and|or|know|remember|say|tell me) when\b|\bwhen (?:and|or) where\b",
        rf"\b(?:what|which) (?:\w+ )?{_any('dates? days? weeks? months? years? time deadline season')}\b(?! zone)",
        rf"\bhow (?:long|soon|recently|old)\b|\bhow many (?:\w+ )?{_any('minutes hours days weeks months years')}\b",
    ),
    "advice": _patterns(
        r"\b(?:suggest|recommend|advi[sc]e|tips|best practices?|(?:best|right|good|proper) way)\b",
        r"\bhow (?:do|can|could|should|would|might) (?:i|we|you|one)\b|(?:^|\bme |\bknow |\bexplain )how to\b",
        r"\bshould (?:i|we)\b|\b(?:i|we) should\b|\bdo (?:i|we) need to\b|\bi need to (?:know|do|consider|include)\b",
        rf"\b{_ASKING} (?:help|show|explain|walk|teach|guide|write|plan|implement|add|fix|set up)\b",
        rf"\bwhat (?:are|is) (?:a|the|some) {_any('good best common popular right recommended way ways options')}\b",
        rf"\bwhat (?:would|do) you {_any('think prefer use pick choose')}\b|\bdo you think\b",
        r"\b(?:which|what) (?:\w+ ){1,3}(?:(?:is|are) used|to use)\b",
    ),
    "ordering": _patterns(
        r"\bin (?:which|what|the) (?:\w+ )?order\b|\border in which\b|\bchronolog",
        r"\bsequence of (?:events|steps|changes)\b",
        r"\bin order\b(?! (?:to|that|for)\b)|\b(?:a|the) time ?line\b|\btime ?line of\b|\bfrom first to last\b",
        r"\b(?:came|come|happened|was|were|did|done) first\b|\bfirst\b.{1,120}\bthen\b",
    ),
    "summary": _patterns(
        r"\bsummar(?:y|ies|i[sz]e[sd]?|i[sz]ing)\b|\boverview\b|\brecap\b|\bsum (?:it )?up\b|\btl;?dr\b",
        rf"\bhow (?:has|have|did|does) {_SOME}{_SOME}(?:evolved?|develop(?:ed)?|progress(?:ed)?)\b",
        r"\b(?:evolved?|developed|progress(?:ed)?|changed|improved) (?:over time|throughout|so far|across)\b",
        r"\bcatch me up\b|\bwhere (?:are|were|did) we (?:at|stand|leave off|left off)\b|\bwhat did (?:i|we) miss\b",
    ),
    "across": _patterns(
        r"\b(?:across|throughout|over) (?:all )?(?:of )?(?:my|our|the) (?:\w+ )?"
        r"(?:sessions?|conversations?|chats?|messages|questions|requests|discussions)\b",
    ),
    "count": _patterns(r"\bhow (?:many|often)\b|\b(?:total )?(?:number|count) of\b|\bhow much (?:in )?total\b"),
    "number": _patterns(
        r"\bhow (?:many|much|old|often|long|far|big|tall|large)\b",
        r"\bwhat (?:percentage|number|amount|score|size|version)\b",
    ),
    "several": _patterns(
        rf"^\W*(?:{_ASKING} |please )?(?:list|name|enumerate)\b|\b(?:list|names) of\b|\bwhich ones\b|\bwhat all\b",
        r"\b(?:all|every|each|both) (?:of )?(?:the|my|our|your|these|those|\w+s)\b",
        r"\bwhat else\b|\bhow many different\b",
        # What is asked for stands in the plural: "which of the old tests did ...", "what kinds of games has ...".
        r"\b(?:what|which) (?:(?!(?:is|was|does|has)\b)[\w'-]+ ){0,4}?(?!\w*(?:ss|us|is)\b)\w{2,}s "
        rf"(?:\w+ ){{0,2}}?{_any('has have had did do does are were can should might we i you')}\b",
        r"\bwhat (?:are|were) (?:the|my|our|your|all|some|\w+'s?|\w+ and \w+'s?) |\bin (?:what|which) ways\b",
        r"\bwhere (?:has|have|else)\b",
        rf"\bwhat (?:does|do|has|have) \w+ {_any('like painted bought cooked tried read')}\b",
    ),
    "error": _patterns(_WENT_WRONG),
}

_OF_THE_PAST = _patterns(
    # Whether something holds at all is asked of what was said.
    r"^\W*(?:so,? )?(?:have|had|has|did) (?:i|we)\b|\b(?:have|had|has|did|do|does) \w+(?: \w+)? ever\b",
    r"\bis it (?:true|right|correct|the case)\b|\bcontradict|\bdid(?:n't| not) (?:i|we|you) say\b",
    rf"\b(?:conflicting|inconsistent) (?:\w+ )?{_any('statement answer claim information thing note account')}s?\b",
    r"\b(?:did|have|has) (?:\w+ ){1,3}(?:suggest|recommend|advise|help|show|explain)",
    r"\b(?:suggested|recommended|advised)\b",
    r"\badvice (?:did|does|has|was)\b|\byour (?:advice|suggestion|recommendation)",
)
"""A question that names advice and is about the past asks for none."""

# --- the speaker ------------------------------------------------------------------------------------------------------

_AGENT = r"(?:you|the (?:assistant|agent)|claude|codex|copilot|gemini)"
_SAID = _any(
    "suggested recommended said told gave provided explained mentioned proposed advised listed offered described wrote "
    "showed answered replied concluded decided chose fixed found changed implemented helped added tried used made did"
)
_YOURS = _any("suggestion recommendation advice answer reply proposal explanation reasoning")
_OWN = _any("said told asked mentioned wanted planned preferred decided chose requested brought")
_CALL = _any(
    "run execute edit create delete remove touch open read install commit push grep search rename patch modify"
)
_CALLED_WITH = _any("commands? files? folders? branch(?:es)? packages? tests? functions? lines? flags?")
_WORKED = _any("fixed solved fails? failed worked started produced broke made resolved installed passed")
_RUNNABLE = _any(
    "builds? tests? suite ci pipeline compiler linter deploy deployment migrations? scripts? commands? pytest mypy "
    "pyright ruff eslint tsc cargo npm pnpm yarn make docker git jest gradle"
)
_RUN = rf"(?:(?:the|my|our|this|that) )?(?:\w+ )?{_RUNNABLE}"
_ENDED = _any("failed passed crashed broke")
_PRINT = _any("print say show give output return report throw raise log complain fail crash pass exit break")
_ERROR = r"(?:error|warning|exception|output|trace ?back|stack ?trace|exit (?:code|status))s?"
_PRINTED = rf"(?:{_ERROR}|messages?|results?)"

_SPEAKERS: tuple[tuple[Role, tuple[re.Pattern[str], ...]], ...] = (
    (
        Role.TOOL,
        _patterns(
            rf"\bcommands? (?:did (?:{_AGENT}|we)|(?:that )?(?:\w+ )?{_WORKED}|did the (?:job|trick))\b",
            r"\bcommands? (?:was|were) (?:run|used|executed|issued|it)\b",
            rf"\b{_CALLED_WITH} (?:did|have|has) (?:{_AGENT}|we) (?:\w+ )?(?:{_CALL}|change|ran|run)(?:e?d)?\b",
            rf"\b(?:what|which) {_SOME}did {_AGENT} (?:last )?(?:run|execute|install|commit|push|edit)\b",
            rf"\bdid {_RUN} (?:\w+ )?{_PRINT}\b|\bwhen {_AGENT} (?:last )?ran\b",
            rf"\bwhy (?:did|does|do|is|was|were|are) {_RUN} (?:{_PRINT}|broken|failing|red)\b",
            rf"\b{_PRINTED} did (?!(?:i|we|you)\b)|\b{_PRINTED} (?:of|from) (?:running )?{_RUN}\b",
            rf"\b{_PRINTED} (?:was|were) {_any('printed raised thrown shown returned reported logged')}\b",
            rf"\bwhat (?:was|were) (?:the |that )?(?:\w+ )?{_ERROR}\b",
            rf"\b(?:which|what|how many) (?:\w+ )?(?:{_RUNNABLE}|jobs?|steps?|checks?|hooks?) {_ENDED}\b",
        ),
    ),
    (
        Role.ASSISTANT,
        _patterns(
            rf"\bdid {_AGENT} (?!(?:mean|know|mind)\b)\w+",
            rf"\b(?:have|has|had) {_AGENT} (?:\w+ ){{0,2}}?{_SAID}\b",
            rf"\b{_AGENT} (?:\w+ly |just |already |last )?{_SAID}\b",
            rf"\byour (?:\w+ )?{_YOURS}s?\b",
        ),
    ),
    (
        Role.USER,
        _patterns(
            r"\b(?:did|have|had|was|am|were) i\b",
            rf"\bi(?:'ve|'d|'m)?(?: \w+)? {_OWN}\b",
            rf"\b(?:did )?the user(?:'s)? (?:\w+ )?{_any('say said ask asked want wanted prefer request told')}",
            rf"\bmy (?:\w+ )?{_any('request question instruction preference prompt')}s?\b",
        ),
    ),
)
_ASKED = _any("ask asked say said want wanted request requested tell told mention mentioned prefer preferred")
_WORKERS = tuple(
    (role, re.compile(source, re.IGNORECASE))
    for role, source in (
        (
            Role.USER,
            rf"\b(?:i|we|the user) (?:\w+ )?{_ASKED}\b|\b(?:issue|ticket|task|request)\b.{{0,60}}\b(?:{_ASKED}|text)",
        ),
        (Role.USER, r"\brequested\b"),
        (Role.TOOL, _WENT_WRONG),
        (Role.TOOL, r"\b(?:outputs?|print(?:s|ed)?|returned|results?|match(?:es)?|listings?|contents?|diff|patch)\b"),
        (Role.TOOL, r"\bexit (?:code|status)\b|\bcommit (?:id|hash|message)\b"),
        (Role.TOOL, r"\b(?:commands?|tool calls?|ran|run|re-?ran|re-?run|executed|installed)\b"),
        (Role.TOOL, r"\b(?:what|which) files?\b.{0,40}\b(?:edit|chang|creat|writ|wrote|open|read|touch)"),
        (Role.ASSISTANT, r"\bwhy (?:did|had|was|were)\b|\b(?:what|which|the) (?:fix|change|bug)\b"),
        (Role.ASSISTANT, r"\b(?:root cause|conclu\w+|decided|solution|fixed|solved|changed)\b"),
    )
)
"""Whose words hold the answer where tools were at work: the first that fits."""

_OF_ONESELF = re.compile(r"\b(?:i|my|mine)\b", re.IGNORECASE)
_SOMETHING_RUN = re.compile(rf"\b(?:my|our) (?:{_RUNNABLE}|code|app|function|repo)\b", re.IGNORECASE)


def _speaker(text: str, advice: bool) -> Role | None:
    """Who is named first as having said or done it; else the user, of whom a question with "I" or "my" is asked."""
    named = [
        (match.start(), order, role)
        for order, (role, patterns) in enumerate(_SPEAKERS)
        for pattern in patterns
        if (match := pattern.search(text))
    ]
    if named:
        return min(named)[2]
    own = _OF_ONESELF.search(text) and not advice and not _SOMETHING_RUN.search(text)
    return Role.USER if own else None


# --- words about the conversation -------------------------------------------------------------------------------------

_META_WORD = re.compile(
    r"\b(?:(?:ask|mention|discuss|talk|remember|recall)(?:ed|ing)?|(?:suggest|recommend)(?:ed)?|br(?:ing|ought)|"
    rf"say(?:ing)?|said|tell|told|remind|conversations?|chats?|"
    rf"{_any('earlier previously throughout across summary overview recap')}|"
    rf"summari[sz]e|{_any('please can could would should help give provide explain show know think walk want need')}|"
    rf"{_any('any some various different aspects? ways? things? many much only comprehensive')})\b",
    re.IGNORECASE,
)
_META_PHRASES = _patterns(
    r"\b(?:across|throughout|during|over|in) (?:all )?(?:of )?(?:our|my|these|those|the|this|your) "
    r"(?:(?:past|previous|recent|last|earlier) )?((?:session|message|discussion|question|request)s?)\b",
    r"\b(order) in which\b|\bin (?:which |what |the )?(?:\w+ )?(order)\b(?! (?:to|that|for)\b)",
    rf"^\W*(?:{_ASKING} |please )?(list|name|describe|find)\b",
    r"\b(?:only|exactly|just) (?:\w+ )?(items?|points?)\b",
)
"""Words that are also words of code: they speak of the conversation in these places alone."""


def _meta(text: str) -> frozenset[str]:
    words = {word.lower() for word in _META_WORD.findall(text)}
    phrases = (match for pattern in _META_PHRASES for match in pattern.finditer(text))
    return frozenset(words.union(group.lower() for match in phrases for group in match.groups() if group))


# --- the subject of a question about an order or a summary -----------------------------------------------------------

_FRAME = _patterns(
    r"^\W*(?:can|could|would|will) you (?:please )?",
    r"\bgive me |\ban? (?:(?:comprehensive|clear|complete|quick|brief) )?summary of |\bsummari[sz]e ",
    r"\b(?:list|walk me through|tell me|show me) |\bthe order in which |\bin order how |\bi brought up ",
    r"\bdifferent |\baspects of |\bmention only\b.*$",
    r"\b(?:throughout|across|during|based on|over|in) our (?:recent )?(?:conversations?|chats?|discussions?)\b",
    r",? in order\b|\bover time\b|\bhow (?:i've|i|my|we've|we) ",
)


def topic(question: str) -> str:
    """What a question about an order or a summary is about, without the words that ask for it."""
    text = question.replace("\u2019", "'")
    for frame in _FRAME:
        text = frame.sub(" ", text)
    return re.sub(r"\s+", " ", text).strip(" ,.?") or question
