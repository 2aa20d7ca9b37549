"""Fakes of secrets, put together when a test runs, so that no file of the repository holds one.

Each is random in the way of the real one and belongs to nobody. A canary is the part that must never be kept, and a
text in which it stands as it would in life.
"""

from __future__ import annotations

import base64
import json
import random
import string
from typing import NamedTuple

HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
URL_SAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"


class Canary(NamedTuple):
    """`secret` is what must go, `text` where it stands, `kind` what the marker calls it."""

    name: str
    kind: str
    secret: str
    text: str


def _chance(seed: str, size: int, letters: str = ALNUM) -> str:
    """So many characters of chance, always the same for a seed, digits, capitals and small letters among them."""
    source = random.Random(seed)  # noqa: S311 - a fake
    made = [source.choice(letters) for _ in range(size)]
    for at, sort in ((1, "7"), (2, "k"), (3, "Q"), (4, "3")):
        if size > 8 and sort in letters:
            made[at] = sort
    return "".join(made)


def _armoured(seed: str, kind: str, lines: int = 6, closed: bool = True) -> tuple[str, str]:
    body = "\n".join(_chance(f"{seed}{line}", 64, BASE64) for line in range(lines))
    dashes = "-" * 5
    end = f"\n{dashes}END {kind}{dashes}" if closed else ""
    return body, f"{dashes}BEGIN {kind}{dashes}\n{body}{end}\n"


def _by_shape() -> list[tuple[str, str, str]]:
    """Name, kind and value of the shapes that are known wherever they stand."""
    c = _chance
    jwt = ".".join(
        base64.urlsafe_b64encode(part).decode().rstrip("=")
        for part in (b'{"alg":"HS256","typ":"JWT"}', b'{"sub":"1234567890","iat":1516239022}', c("j", 32).encode())
    )
    return [
        ("aws", "aws access key", "AK" + "IA" + c("a", 16, UPPER)),
        ("aws session", "aws access key", "AS" + "IA" + c("b", 16, UPPER)),
        ("gcp", "google api key", "AI" + "za" + c("c", 35, URL_SAFE)),
        ("gemini", "google api key", "AQ" + ".Ab8" + c("gm", 47, URL_SAFE)),
        ("gcp oauth", "google oauth secret", "GOCS" + "PX-" + c("d", 28, URL_SAFE)),
        ("gcp token", "google oauth token", "ya" + "29." + c("e", 60, URL_SAFE)),
        ("azure client", "azure client secret", c("f", 3) + "8Q" + "~" + c("g", 34)),
        ("digitalocean", "digitalocean token", "dop" + "_v1_" + c("h", 64, HEX)),
        ("heroku", "heroku api key", "HR" + "KU-" + c("i", 58, URL_SAFE)),
        ("netlify", "netlify token", "nf" + "p_" + c("k", 36)),
        ("supabase", "supabase token", "sb" + "p_" + c("l", 40, HEX)),
        ("planetscale", "planetscale secret", "pscale" + "_pw_" + c("m", 43)),
        ("databricks", "databricks token", "da" + "pi" + c("n", 32, HEX)),
        ("vault", "vault token", "hv" + "s." + c("o", 90, ALNUM)),
        ("terraform", "terraform token", c("p", 14) + ".atlas" + "v1." + c("q", 67)),
        ("pulumi", "pulumi token", "pu" + "l-" + c("r", 40, HEX)),
        ("doppler", "doppler token", "dp" + ".pt." + c("s", 43)),
        *((f"github {one}", "github token", f"gh{one}" + "_" + c(one, 36)) for one in "pousr"),
        ("github fine", "github token", "github" + "_pat_" + c("t", 22) + "_" + c("u", 59)),
        ("gitlab", "gitlab token", "gl" + "pat-" + c("v", 20, URL_SAFE)),
        ("gitlab runner", "gitlab token", "gl" + "rt-" + c("w", 20, URL_SAFE)),
        ("bitbucket", "bitbucket token", "AT" + "BB" + c("x", 32)),
        ("atlassian", "atlassian token", "ATA" + "TT3" + c("y", 180, URL_SAFE)),
        ("npm", "npm token", "np" + "m_" + c("z", 36)),
        ("pypi", "pypi token", "py" + "pi-AgEIcHlwaS5vcmc" + c("A", 120, URL_SAFE)),
        ("rubygems", "rubygems token", "ruby" + "gems_" + c("B", 48, HEX)),
        ("crates", "crates.io token", "ci" + "o" + c("C", 32)),
        ("docker", "docker token", "dckr" + "_pat_" + c("D", 27, URL_SAFE)),
        ("slack bot", "slack token", "xo" + f"xb-{c('E', 12, '0123456789')}-{c('F', 12, '0123456789')}-{c('G', 24)}"),
        ("slack app", "slack token", "xa" + f"pp-1-{c('H', 11, UPPER)}-{c('I', 13, '0123456789')}-{c('J', 64, HEX)}"),
        ("discord", "discord token", "M" + c("K", 25) + ".G" + c("L", 5) + "." + c("M", 38)),
        ("twilio", "twilio key", "S" + "K" + c("N", 32, HEX)),
        ("sendgrid", "sendgrid key", "S" + "G." + c("O", 22, URL_SAFE) + "." + c("P", 43, URL_SAFE)),
        ("mailgun", "mailgun key", "ke" + "y-" + c("Q", 32, HEX)),
        ("mailchimp", "mailchimp key", c("R", 32, HEX) + "-u" + "s12"),
        ("brevo", "brevo key", "xkey" + "sib-" + c("S", 64, HEX) + "-" + c("T", 16)),
        ("stripe", "stripe key", "sk" + "_live_" + c("U", 24)),
        ("stripe restricted", "stripe key", "rk" + "_test_" + c("V", 24)),
        ("stripe hook", "stripe webhook secret", "wh" + "sec_" + c("W", 32)),
        ("shopify", "shopify token", "shp" + "at_" + c("X", 32, HEX)),
        ("square", "square token", "sq0" + "atp-" + c("Y", 22, URL_SAFE)),
        ("anthropic", "anthropic key", "sk" + "-ant-api03-" + c("Z", 93, URL_SAFE) + "AA"),
        ("openai", "openai key", "sk" + "-" + c("0", 48)),
        ("openai project", "openai key", "sk" + "-proj-" + c("1", 120, URL_SAFE)),
        ("openrouter", "openai key", "sk" + "-or-v1-" + c("2", 64, HEX)),
        ("hugging face", "hugging face token", "h" + "f_" + c("3", 34)),
        ("groq", "groq key", "gs" + "k_" + c("4", 52)),
        ("xai", "xai key", "xa" + "i-" + c("5", 80)),
        ("replicate", "replicate token", "r" + "8_" + c("6", 37)),
        ("perplexity", "perplexity key", "pp" + "lx-" + c("7", 48)),
        ("nvidia", "nvidia key", "nv" + "api-" + c("8", 64, URL_SAFE)),
        ("cerebras", "cerebras key", "cs" + "k-" + c("9", 48, string.ascii_lowercase + string.digits)),
        ("tavily", "tavily key", "tv" + "ly-dev-" + c("10", 32)),
        ("linear", "linear key", "lin" + "_api_" + c("11", 40)),
        ("notion", "notion token", "nt" + "n_" + c("12", 46)),
        ("figma", "figma token", "fi" + "gd_" + c("13", 40, URL_SAFE)),
        ("postman", "postman key", "PM" + "AK-" + c("14", 24, HEX) + "-" + c("15", 34, HEX)),
        ("sentry", "sentry token", "sn" + "tryu_" + c("16", 64, HEX)),
        ("grafana", "grafana token", "gl" + "sa_" + c("17", 32) + "_" + c("18", 8, HEX)),
        ("new relic", "new relic key", "NR" + "AK-" + c("19", 27, UPPER)),
        ("1password", "1password token", "op" + "s_eyJ" + c("20", 80)),
        ("jwt", "jwt", jwt),
    ]


def _by_place() -> list[Canary]:
    """Secrets that are known by what stands around them."""
    c = _chance
    key, block = _armoured("rsa", "RSA " + "PRIVATE KEY")
    cut, cut_block = _armoured("cut", "OPENSSH " + "PRIVATE KEY", 3, closed=False)
    pgp, pgp_block = _armoured("pgp", "PGP " + "PRIVATE KEY BLOCK")
    service, service_block = _armoured("service", "PRIVATE" + " KEY")
    account = json.dumps({"type": "service_account", "private_key": service_block, "client_email": "a@b.example"})
    quoted = json.dumps({"password": c("q", 8) + '"' + c("r", 8), "user": "ada"})
    basic = base64.b64encode(f"ada:{c('basic', 12)}".encode()).decode()
    made = [
        ("pem", "private key", key.split("\n")[3], block),
        ("pem cut off", "private key", cut.split("\n")[2], cut_block),
        ("pem in diff", "private key", key.split("\n")[1], "+" + block.strip().replace("\n", "\n+") + "\n"),
        ("pem numbered", "private key", key.split("\n")[2],
         "\n".join(f"{number:6}\t{line}" for number, line in enumerate(block.splitlines(), 1))),
        ("pgp", "private key", pgp.split("\n")[4], pgp_block),
        ("service account", "private key", service.split("\n")[5], account),
        ("aws secret", "secret", c("as", 40, BASE64), "aws_secret_access_key = {}"),
        ("aws pair", "aws access key", c("ap", 40, ALNUM), "AK" + "IA" + c("aq", 16, UPPER) + ",{}"),
        ("azure storage", "azure key", c("az", 86, BASE64), "AccountName=ada;Account" + "Key={}==;EndpointSuffix=core"),
        ("azure sas", "azure sas signature", c("sas", 44, ALNUM), "https://a.blob.example/c?sv=2024&sig={}%3D"),
        ("slack hook", "slack webhook", c("sh", 24),
         "https://hooks.slack" + f".com/services/T{c('T', 9, UPPER)}/B{c('B', 9, UPPER)}/" + "{}"),
        ("discord hook", "discord webhook", c("dh", 68),
         "https://discord.example/api/web" + "hooks/123456789012345678/{}"),
        ("telegram", "telegram bot token", "AA" + c("tg", 33, URL_SAFE),
         "https://api.telegram.example/bot123456789" + ":{}/x"),
        ("fly.io", "fly.io token", "fm2_" + c("fly", 80, BASE64), "Fly" + "V1 {}"),
        ("url", "url password", c("url", 12), "postgres" + "://ada:{}@db.example:5432/app"),
        ("url words", "url password", "correct" + "-horse", "amqp" + "://guest2:{}@mq"),
        ("redis", "url password", c("redis", 10), "redis" + "://:{}@cache:6379/0"),
        ("curl", "url password", c("curl", 14), "curl " + "-s -u ada:{} https://example.com"),
        ("bearer", "bearer token", c("bearer", 32), "Authorization: Bear" + "er {}"),
        ("basic", "basic credentials", basic, 'headers = {"Authorization": "Bas' + 'ic {}"}'),
        ("authorization", "authorization", c("au", 40, HEX), "Authorization: tok" + "en {}"),
        ("env", "password", "hun" + "ter2", "export DB_PASS" + "WORD={}\n"),
        ("env quoted", "api key", c("mistral", 32), "MISTRAL_API_" + 'KEY="{}"\n'),
        ("env cohere", "api key", c("cohere", 40), "COHERE_API_" + "KEY={}\n"),
        ("env odd", "password", "p@ss&w(0)rd;1", "SMTP_PASS={}\nNEXT=1\n"),
        ("yaml", "password", "s3cret" + "Sauce", "db:\n  password: {}\n"),
        ("yaml env", "password", c("ye", 14), "- name: DB_PASSWORD\n  value: {}\n"),
        ("json", "secret", c("cs", 24), '{"client_secret": "{}", "id": 7}'),
        ("json number", "password", "8472" + "9184", '{"password": {}, "id": 7}'),
        ("json escaped", "password", c("r", 8), quoted),
        ("python", "token", c("py", 24), 'auth_token: str = "{}"'),
        ("go", "secret", c("go", 24), 'signingSecret := "{}"'),
        ("header", "api key", c("hd", 32, HEX), '"X-API-' + 'Key": "{}"'),
        ("flag", "password", c("fl", 12), "mysql --pass" + "word {} --host db"),
        ("list", "token", c("li", 24), '["deploy", "--to' + 'ken", "{}"]'),
        ("xml", "password", c("xm", 12), "<pass" + "word>{}</password>"),
        ("query", "token", c("qu", 24), "GET /v1?access_to" + "ken={}&page=2"),
        ("npmrc", "token", c("nr", 36, HEX), "//registry.example/:_auth" + "Token={}"),
        ("netrc", "password", c("ne", 18), "machine example.com login ada pass" + "word {}"),
        ("prose", "token", c("pr", 24), "my deploy tok" + "en is {} until Friday"),
        ("sql", "password", c("sq", 20), "ALTER USER ada WITH PASS" + "WORD '{}';"),
        ("uuid", "api key", "5a1f0c3e-9b7d-4e2a-8c6f-" + "0d1b2c3d4e5f", "HEROKU_API_" + "KEY={}\n"),
    ]  # fmt: skip
    return [Canary(name, kind, secret, text.replace("{}", secret)) for name, kind, secret, text in made]


def canaries() -> list[Canary]:
    """One realistic fake of every kind."""
    shaped = [Canary(name, kind, secret, f"use {secret} for it") for name, kind, secret in _by_shape()]
    return [*shaped, *_by_place()]
