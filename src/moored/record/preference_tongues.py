"""The simplest forms of a stated preference in German, French, Spanish, Chinese and Japanese."""

from __future__ import annotations

import re
from functools import cache

from moored.model.preferences import Preference, Subject
from moored.record.own_words import in_quotes
from moored.record.preference_keys import scope, topic

_ENDS = r"[^\u3002\uff0c]+"

# Whether it is wanted, and the pattern with the group `what`; what speaks of "we" is the project's.
_FORMS = (
    (True, r"^ich (?:bevorzuge|mag lieber)\s+(?P<what>.+)"),
    (True, r"^(?:bitte\s+)?(?:verwende|benutze|nutze|antworte|schreibe?)\s+(?:bitte\s+)?immer\s+(?P<what>.+)"),
    (False, r"^(?:bitte\s+)?(?:verwende|benutze|nutze|schreibe?)\s+(?:niemals|nie)\s+(?P<what>.+)"),
    (True, r"^(?:ab jetzt|ab sofort|von nun an|in zukunft),?\s+(?:bitte\s+)?(?P<what>\S+)\s+statt\s+(?P<over>\S+)"),
    (True, r"^(?:ab jetzt|ab sofort|von nun an|in zukunft),?\s+(?:bitte\s+)?(?P<what>.+ (?:verwenden|antworten))\b"),
    (True, r"^wir (?:verwenden|benutzen|nutzen)\s+(?:immer\s+)?(?!diese|die|das|den|der|eine?\b)(?P<what>.+)"),
    (True, r"^je préfère\s+(?P<what>.+)"),
    (True, r"^(?:utilise|réponds|écris)\s+toujours\s+(?P<what>.+)"),
    (False, r"^n['\u2019](?:utilise|écris)\s+jamais\s+(?P<what>.+)"),
    (True, r"^(?:à partir de maintenant|dorénavant|désormais),?\s+(?:utilise|réponds|écris)\s+(?P<what>.+)"),
    (True, r"^prefiero\s+(?P<what>.+)"),
    (True, r"^(?:usa|responde|escribe)\s+siempre\s+(?P<what>.+)"),
    (False, r"^nunca\s+(?:uses|escribas)\s+(?P<what>.+)"),
    (True, r"^(?:a partir de ahora|de ahora en adelante),?\s+(?:usa|responde|escribe)\s+(?P<what>.+)"),
    (True, rf"^我(?:更喜欢|偏好|比较喜欢)(?:用|使用)?(?P<what>{_ENDS})"),
    (True, rf"^(?:以后|今后|从现在开始|从现在起)(?:都|请|\uff0c)*(?:用|使用)(?P<what>{_ENDS})"),
    (True, rf"^请?(?:始终|总是|一直)(?:用|使用)(?P<what>{_ENDS})"),
    (False, rf"^请?(?:永远不要|绝不要|不要再|绝对不要)(?:用|使用)(?P<what>{_ENDS})"),
    (True, r"^(?:今後は|これからは|いつも|常に|必ず)(?P<what>[^\u3002]+?)(?:で|を)(?:答えて|使って|書いて)ください"),
    (True, r"^(?:(?P<over>[^\u3002]+?)より)?(?P<what>[^\u3002より]+)の方が好きです"),
)

_UNSURE = (
    r"\b(?:wenn|falls|vielleicht|erstmal|vorerst|heute|früher|peut-être|pour l'instant|aujourd'hui|quizás|por ahora|"
    r"hoy|si)\b"
    r"|如果|也许|暂时|今天|もし|たぶん|今だけ|今日|か。?$|吗"
)


def foreign(sentence: str) -> Preference | None:
    """What a sentence in one of these languages states, or None."""
    for wanted, pattern in _forms():
        match = pattern.search(sentence)
        if match:
            if _unsure().search(sentence) or in_quotes(sentence, match.start("what")):
                return None
            what = match["what"].strip(" .!\u3002\uff01")
            about = topic(what, sentence)
            subject = Subject.PROJECT if sentence.lower().startswith("wir ") else Subject.USER
            over = (match.groupdict().get("over") or "").strip()
            known = bool(about.name)
            limit = scope(what) if known and about.key != "answer language" else ""
            return Preference(sentence, subject, about.key, about.name or what, wanted, over, known, limit)
    return None


@cache
def _forms() -> tuple[tuple[bool, re.Pattern[str]], ...]:
    return tuple((wanted, re.compile(pattern, re.IGNORECASE)) for wanted, pattern in _FORMS)


@cache
def _unsure() -> re.Pattern[str]:
    return re.compile(_UNSURE, re.IGNORECASE)
