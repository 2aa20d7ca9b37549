"""The table of secrets that are known by their shape: what starts one, how it goes on, and what it is called.

The formats are those that the issuers document for their keys and tokens. A pattern is matched where one of its
literals stands, never searched for, and repeats only classes that what follows is not in: its cost is linear in what
it takes. Nothing here is compiled before a literal of it was seen.
"""

from __future__ import annotations

from typing import NamedTuple


class Shape(NamedTuple):
    """One known shape.

    `kind` is what a marker calls it. `literals` are the bytes of which one is in every secret of this shape; with
    `folded` they are in lower case and any case counts. `pattern` is matched `back` bytes before the literal; its
    group `secret`, if it has one, is what is taken out, else all of it. With `random`, what is taken out must look
    like chance and not like words. `alone` says that the literal need not stand in a long run of token characters.
    """

    kind: str
    literals: tuple[bytes, ...]
    pattern: bytes
    back: int = 0
    folded: bool = False
    random: bool = False
    alone: bool = False


LEFT = (
    rb"(?:(?<![A-Za-z0-9])|(?<=\\[nrtbf])|(?<=\\u[0-9A-Fa-f]{4})|(?<=%[0-9A-Fa-f]{2})"
    rb"|(?<=\x1b\[[0-9]m)|(?<=\x1b\[[0-9]{2}m)|(?<=\x1b\[[0-9];[0-9]{2}m))"
)
"""Nothing that belongs to a longer word before it: an escape of JSON, of a URL or of a terminal is no word."""

END = rb"(?![A-Za-z0-9])"
_URL_SAFE = rb"[A-Za-z0-9_-]"

# What may stand between two lines of an armoured key: white space, escapes and quotes of code, line numbers, quotation
# marks of mails and diffs.
_BETWEEN = rb"(?:[\s\\\"',|>:+\-]|\xe2\x86\x92|(?<=\\)[nrt]|[0-9]{1,6}(?=[ \t]|\\{1,8}t|\xe2\x86\x92|:|\|))"
_HEADER = (
    rb"(?:" + _BETWEEN + rb"{0,60}(?:Proc-Type|DEK-Info|Version|Comment|Hash|Charset|MessageID): [^\r\n\\\"]{0,200})"
)
_CHUNK = rb"(?>" + _BETWEEN + rb"{0,60}+[A-Za-z0-9+/=]{16,}+)"
_ARMOURED = (
    rb"-----BEGIN (?:[A-Z0-9]{1,20} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
    + _HEADER
    + rb"{0,5}+(?="
    + _BETWEEN
    + rb"{0,60}+[A-Za-z0-9+/=]{24})"
    + _CHUNK
    + rb"++(?:"
    + _BETWEEN
    + rb"{0,60}[A-Za-z0-9+/=]{1,15}(?="
    + _BETWEEN
    + rb"{0,60}(?:-----END|\Z)))?(?:"
    + _BETWEEN
    + rb"{0,60}=[A-Za-z0-9+/]{4})?(?:"
    + _BETWEEN
    + rb"{0,60}-----END [A-Z0-9 ]{1,60}-----)?"
)

_AUTHORIZATION = rb"(?i:authorization)\\{0,4}[\"'`]?\]?[ \t]{0,4}[:=,][ \t]{0,4}\\{0,4}[\"'`]?"

SHAPES: tuple[Shape, ...] = (
    Shape("private key", (b"-----BEGIN ",), _ARMOURED, alone=True),
    Shape("private key", (b"AGE-SECRET-KEY-1",), LEFT + rb"AGE-SECRET-KEY-1[A-Z0-9]{40,}"),
    Shape("url password", (b"://", b":\\/\\/"),
          rb":(?:\\?/){2}[^\s:/?#@\"'<>\[\]{}$\\,;()]{0,128}:(?P<secret>[^\s/?#\"'<>\\`]{1,256})@(?=[A-Za-z0-9\[$%{])",
          alone=True),
    # Clouds
    Shape("aws access key", (b"AKIA", b"ASIA"),
          LEFT + rb"A[KS]IA[A-Z0-9]{16}" + END + rb"(?:[\s,:;|\"']{1,5}[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=]))?"),
    Shape("google api key", (b"AIza",), LEFT + rb"AIza" + _URL_SAFE + rb"{35}(?![A-Za-z0-9_-])"),
    Shape("google api key", (b"AQ.Ab",), LEFT + rb"AQ\.Ab" + _URL_SAFE + rb"{40,}"),
    Shape("google oauth secret", (b"GOCSPX-",), LEFT + rb"GOCSPX-" + _URL_SAFE + rb"{20,}"),
    Shape("google oauth token", (b"ya29.",), LEFT + rb"ya29\.[A-Za-z0-9_.-]{20,}"),
    Shape("azure key", (b"AccountKey=", b"SharedAccessKey="),
          rb"(?:Account|SharedAccess)Key=(?P<secret>[A-Za-z0-9+/]{40,}={0,2})"),
    Shape("azure sas signature", (b"sig=",), rb"sig=(?P<secret>(?:[A-Za-z0-9+/]|%[0-9A-Fa-f]{2}){40,}={0,2})"),
    Shape("azure client secret", (b"8Q~", b"7Q~"), LEFT + rb"[A-Za-z0-9_~.-]{3}[78]Q~[A-Za-z0-9_~.-]{31,34}", back=3),
    Shape("digitalocean token", (b"dop_v1_", b"doo_v1_", b"dor_v1_"), LEFT + rb"do[opr]_v1_[a-f0-9]{64}"),
    Shape("heroku api key", (b"HRKU-",), LEFT + rb"HRKU-" + _URL_SAFE + rb"{30,}"),
    Shape("fly.io token", (b"FlyV1 fm",), rb"FlyV1 (?P<secret>fm[0-9]_[A-Za-z0-9+/=,_-]{40,})", alone=True),
    Shape("netlify token", (b"nfp_",), LEFT + rb"nfp_[A-Za-z0-9]{36,}"),
    Shape("supabase token", (b"sbp_", b"sb_secret_"), LEFT + rb"(?:sbp_|sb_secret_)[A-Za-z0-9_-]{20,}", random=True),
    Shape("planetscale secret", (b"pscale_",), LEFT + rb"pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}"),
    Shape("databricks token", (b"dapi",), LEFT + rb"dapi[a-f0-9]{32}(?:-[0-9])?" + END),
    Shape("vault token", (b"hvs.", b"hvb.", b"hvr."), LEFT + rb"hv[sbr]\." + _URL_SAFE + rb"{24,}"),
    Shape("terraform token", (b".atlasv1.",), LEFT + rb"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}", back=14),
    Shape("pulumi token", (b"pul-",), LEFT + rb"pul-[a-f0-9]{40}" + END),
    Shape("doppler token", (b"dp.",),
          LEFT + rb"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,}"),
    # Forges and registries
    Shape("github token", (b"ghp_", b"gho_", b"ghu_", b"ghs_", b"ghr_"),
          rb"gh[pousr]_[A-Za-z0-9]{30,}(?:[._-][A-Za-z0-9_-]{16,})*"),
    Shape("github token", (b"github_pat_",), rb"github_pat_[A-Za-z0-9_]{22,}"),
    Shape("gitlab token",
          (b"glpat-", b"gldt-", b"glrt-", b"glcbt-", b"glptt-", b"glft-", b"gloas-", b"glsoat-", b"glimt-",
           b"glagent-"),
          LEFT + rb"gl(?:pat|dt|rt|cbt|ptt|ft|oas|soat|imt|agent)-[A-Za-z0-9_.-]{20,}"),
    Shape("bitbucket token", (b"ATBB", b"ATCTT3"), LEFT + rb"AT(?:BB|CTT3)[A-Za-z0-9_=-]{24,}", random=True),
    Shape("atlassian token", (b"ATATT3",), LEFT + rb"ATATT3[A-Za-z0-9_=-]{40,}"),
    Shape("npm token", (b"npm_",), LEFT + rb"npm_[A-Za-z0-9]{36,}"),
    Shape("pypi token", (b"pypi-",), LEFT + rb"pypi-" + _URL_SAFE + rb"{50,}"),
    Shape("rubygems token", (b"rubygems_",), LEFT + rb"rubygems_[a-f0-9]{48}"),
    Shape("crates.io token", (b"cio",), LEFT + rb"cio[A-Za-z0-9]{32}" + END, random=True),
    Shape("docker token", (b"dckr_pat_", b"dckr_oat_"), LEFT + rb"dckr_[po]at_" + _URL_SAFE + rb"{20,}"),
    # Talk and telephones
    Shape("slack token", (b"xox", b"xapp-"),
          LEFT + rb"(?:xox[abcdeoprs](?:\.xox[abcdeoprs])?|xapp)-[A-Za-z0-9.-]{16,}", random=True),
    Shape("slack webhook", (b"hooks.slack.com/",),
          rb"hooks\.slack\.com/(?:services|workflows|triggers)/(?P<secret>[A-Za-z0-9/_-]{20,})"),
    Shape("discord webhook", (b"/api/webhooks/",), rb"/api/webhooks/[0-9]{10,25}/(?P<secret>[A-Za-z0-9_-]{40,})"),
    Shape("discord token", (b".G", b".X", b".Y", b".Z"),
          rb"[\s\S]{0,5}?(?P<secret>" + LEFT
          + rb"[MNO][A-Za-z0-9_-]{23,27}\.[GXYZ][A-Za-z0-9_-]{5}\.[A-Za-z0-9_-]{27,40})" + END, back=28),
    Shape("telegram bot token", (b":AA",), rb"(?<=[0-9]{8}):(?P<secret>AA[A-Za-z0-9_-]{32,34})(?![A-Za-z0-9_-])"),
    Shape("twilio key", (b"SK",), LEFT + rb"SK[0-9a-f]{32}" + END),
    Shape("sendgrid key", (b"SG.",), LEFT + rb"SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}"),
    Shape("mailgun key", (b"key-",), LEFT + rb"key-[0-9a-f]{32}" + END),
    Shape("mailchimp key", (b"-us",), LEFT + rb"[0-9a-f]{32}-us[0-9]{1,2}" + END, back=32),
    Shape("brevo key", (b"xkeysib-",), LEFT + rb"xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}"),
    # Money
    Shape("stripe key", (b"k_live_", b"k_test_"), LEFT + rb"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}", back=1),
    Shape("stripe webhook secret", (b"whsec_",), LEFT + rb"whsec_[A-Za-z0-9+/=]{24,}"),
    Shape("shopify token", (b"shpat_", b"shpca_", b"shppa_", b"shpss_"), LEFT + rb"shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"),
    Shape("square token", (b"sq0atp-", b"sq0csp-"), LEFT + rb"sq0(?:atp|csp)-" + _URL_SAFE + rb"{22,}"),
    # Model providers
    Shape("anthropic key", (b"sk-ant-",), LEFT + rb"sk-ant-[a-z0-9]{2,10}-" + _URL_SAFE + rb"{20,}"),
    Shape("openai key", (b"sk-",),
          LEFT + rb"sk-(?:(?:[a-z]{2,10}-)(?:[a-z]{1,4}[0-9]{0,2}-)?" + _URL_SAFE + rb"{20,}|[A-Za-z0-9]{20,})",
          random=True),
    Shape("hugging face token", (b"hf_", b"api_org_"), LEFT + rb"(?:hf|api_org)_[A-Za-z0-9]{30,}"),
    Shape("groq key", (b"gsk_",), LEFT + rb"gsk_[A-Za-z0-9]{40,}"),
    Shape("xai key", (b"xai-",), LEFT + rb"xai-[A-Za-z0-9]{60,}"),
    Shape("replicate token", (b"r8_",), LEFT + rb"r8_[A-Za-z0-9]{30,}"),
    Shape("perplexity key", (b"pplx-",), LEFT + rb"pplx-[A-Za-z0-9]{40,}"),
    Shape("nvidia key", (b"nvapi-",), LEFT + rb"nvapi-" + _URL_SAFE + rb"{50,}"),
    Shape("cerebras key", (b"csk-",), LEFT + rb"csk-[a-z0-9]{40,}"),
    Shape("tavily key", (b"tvly-",), LEFT + rb"tvly-[A-Za-z0-9_-]{20,}", random=True),
    # Services of developers
    Shape("linear key", (b"lin_api_", b"lin_oauth_"), LEFT + rb"lin_(?:api|oauth)_[A-Za-z0-9]{32,}"),
    Shape("notion token", (b"ntn_",), LEFT + rb"ntn_[A-Za-z0-9]{40,}"),
    Shape("figma token", (b"figd_",), LEFT + rb"figd_" + _URL_SAFE + rb"{38,}"),
    Shape("postman key", (b"PMAK-",), LEFT + rb"PMAK-[a-f0-9]{24}-[a-f0-9]{34}"),
    Shape("sentry token", (b"sntrys_", b"sntryu_"), LEFT + rb"sntry[su]_[A-Za-z0-9+/=_-]{40,}"),
    Shape("grafana token", (b"glsa_", b"glc_"),
          LEFT + rb"(?:glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/=]{40,})"),
    Shape("new relic key", (b"NRAK-", b"NRJS-"), LEFT + rb"NR(?:AK|JS)-[A-Za-z0-9]{19,}"),
    Shape("1password token", (b"ops_eyJ",), LEFT + rb"ops_eyJ[A-Za-z0-9+/=_-]{40,}"),
    # By their form
    Shape("jwt", (b"eyJ",),
          LEFT + rb"(?<![_-])eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{8,}){0,2}"),
    Shape("bearer token", (b"bearer ",), rb"(?i:bearer)[ \t]+(?P<secret>[A-Za-z0-9._~+/=-]{12,})",
          folded=True, random=True, alone=True),
    Shape("basic credentials", (b"authorization",),
          _AUTHORIZATION + rb"(?i:basic)[ \t]+(?P<secret>[A-Za-z0-9+/_-]{6,}={0,2})",
          folded=True, alone=True),
    Shape("authorization", (b"authorization",),
          _AUTHORIZATION + rb"(?i:token|bot|apikey|key|digest|sso-key)[ \t]+(?P<secret>[A-Za-z0-9._~+/=:-]{12,})",
          folded=True, random=True, alone=True),
    Shape("url password", (b"curl ",),
          rb"curl [^\r\n|;]{0,400}?[ \t](?:-u|--user)[ =]?[\"']?[^\s:\"'$]{1,100}:"
          rb"(?P<secret>[^\s\"'\\]{1,200})(?=[\s\"'\\]|\Z)", alone=True),
)  # fmt: skip
"""Every known shape, the more telling first: where two fit the same place, the marker names the first."""
