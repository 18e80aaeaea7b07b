"""Keys and tokens with the shapes of their issuers, made at random from parts: none was ever issued.

Nothing in this file looks like a key, so that no scanner stops at it. Each is set into a text as an agent
reads or writes it: a setting, a header, JSON, code, a diff, a log; some wrapped in base64, some over two
lines. Even numbers are for tuning the rules; odd ones were only ever counted.
"""

from __future__ import annotations

import base64
import json
import random
import string
from collections.abc import Callable

LOWER_HEX = "0123456789abcdef"
ALNUM = string.ascii_letters + string.digits
WORD = ALNUM + "_-"
B64 = ALNUM + "+/"
BASE32 = string.ascii_uppercase + "234567"

Make = Callable[[random.Random], str]


def of(alphabet: str, length: int) -> Make:
    """So many random characters."""
    return lambda rng: "".join(rng.choices(alphabet, k=length))


def joined(*parts: str | Make) -> Make:
    """Parts one after the other."""
    return lambda rng: "".join(part if isinstance(part, str) else part(rng) for part in parts)


def _segment(name: str) -> str:
    return base64.urlsafe_b64encode(json.dumps({name: "x", "n": 12345}).encode()).decode().rstrip("=")


def _private_key(rng: random.Random) -> str:
    kind = rng.choice(["", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "])
    lines = "\n".join(of(B64, 64)(rng) for _ in range(8))
    dashes = "-" * 5
    return f"{dashes}BEGIN {kind}PRIVATE " + f"KEY{dashes}\n{lines}\n{dashes}END {kind}PRIVATE KEY{dashes}"


KINDS: dict[str, Make] = {
    "age-key": joined("AGE-SECRET", "-KEY-1", of("QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58)),
    "airtable-token": joined("pat", of(ALNUM, 14), ".", of(LOWER_HEX, 64)),
    "anthropic-key": joined("sk-", "ant-", "api03-", of(WORD, 93), "AA"),
    "aws-access-key": joined("AK", "IA", of(BASE32, 16)),
    "aws-secret-key": joined("aws_secret_", "access_key = ", of(B64, 40)),
    "azure-client-secret": joined(of(ALNUM, 3), "8Q", "~", of(ALNUM + "_.~-", 32), "x"),
    "azure-storage-key": joined("Account", "Key=", of(B64, 86), "=="),
    "cloudflare-token": joined("v1.0", "-", of(LOWER_HEX, 24), "-", of(LOWER_HEX, 146)),
    "databricks-token": joined("da", "pi", of(LOWER_HEX, 32)),
    "digitalocean-token": joined("do", "p_v1_", of(LOWER_HEX, 64)),
    "discord-token": joined("M", of(ALNUM, 25), ".", of(ALNUM, 6), ".", of(WORD, 37), "q"),
    "docker-token": joined("dckr", "_pat_", of(WORD, 27)),
    "doppler-token": joined("dp", ".pt.", of(ALNUM, 43)),
    "github-token": joined("gh", "p_", of(ALNUM, 36)),
    "github-fine-token": joined("github", "_pat_", of(ALNUM, 22), "_", of(ALNUM, 59)),
    "gitlab-token": joined("glp", "at-", of(WORD, 20)),
    "google-api-key": joined("AI", "za", of(WORD, 35)),
    "google-client-secret": joined("GOC", "SPX-", of(WORD, 28)),
    "google-access-token": joined("ya", "29.", of(WORD, 120)),
    "grafana-token": joined("gl", "sa_", of(ALNUM, 32), "_", of(LOWER_HEX, 8)),
    "groq-key": joined("gs", "k_", of(ALNUM, 52)),
    "huggingface-token": joined("h", "f_", of(ALNUM, 34)),
    "linear-key": joined("lin", "_api_", of(ALNUM, 40)),
    "mailchimp-key": joined(of(LOWER_HEX, 32), "-u", "s14"),
    "mailgun-key": joined("ke", "y-", of(LOWER_HEX, 32)),
    "newrelic-key": joined("NR", "AK-", of(string.ascii_uppercase + string.digits, 27)),
    "notion-token": joined("sec", "ret_", of(ALNUM, 43)),
    "npm-token": joined("np", "m_", of(ALNUM, 36)),
    "openai-key": joined("sk", "-proj-", of(WORD, 74), "T3Blbk", "FJ", of(WORD, 74)),
    "perplexity-key": joined("pp", "lx-", of(ALNUM, 48)),
    "planetscale-token": joined("ps", "cale_tkn_", of(WORD, 43)),
    "postman-key": joined("PM", "AK-", of(LOWER_HEX, 24), "-", of(LOWER_HEX, 34)),
    "private-key": _private_key,
    "pulumi-token": joined("pu", "l-", of(LOWER_HEX, 40)),
    "pypi-token": joined("pypi-", "AgEIcHlwaS5vcmc", of(WORD, 90)),
    "replicate-token": joined("r", "8_", of(ALNUM, 37)),
    "rubygems-key": joined("ruby", "gems_", of(LOWER_HEX, 48)),
    "sendgrid-key": joined("S", "G.", of(WORD, 22), ".", of(WORD, 43)),
    "shopify-token": joined("shp", "at_", of(LOWER_HEX, 32)),
    "slack-token": joined("xo", "xb-", of(string.digits, 12), "-", of(string.digits, 12), "-", of(ALNUM, 24)),
    "slack-webhook": joined("https://hooks.sl", "ack.com/services/T", of(ALNUM, 9), "/B", of(ALNUM, 34)),
    "square-token": joined("sq0", "atp-", of(WORD, 22)),
    "stripe-key": joined("sk", "_live_", of(ALNUM, 24)),
    "stripe-webhook-secret": joined("wh", "sec_", of(ALNUM, 32)),
    "telegram-token": joined(of("123456789", 10), ":A", "A", of(WORD, 33)),
    "twilio-key": joined("S", "K", of(LOWER_HEX, 32)),
    "vault-token": joined("hv", "s.", of(WORD, 90)),
    "xai-key": joined("xa", "i-", of(ALNUM, 80)),
    "atlassian-token": joined("ATA", "TT3xFf", of(WORD, 180), "=", of(LOWER_HEX.upper(), 8)),
    "circleci-token": joined("CCI", "PAT_", of(ALNUM, 22), "_", of(LOWER_HEX, 40)),
    "figma-token": joined("fi", "gd_", of(WORD, 40)),
    "langsmith-key": joined("lsv", "2_pt_", of(LOWER_HEX, 32), "_", of(LOWER_HEX, 10)),
    "nvidia-key": joined("nv", "api-", of(WORD, 64)),
    "openrouter-key": joined("sk", "-or-v1-", of(LOWER_HEX, 64)),
    "sonar-token": joined("sq", "u_", of(LOWER_HEX, 40)),
    "tailscale-key": joined("ts", "key-auth-", of(ALNUM, 12), "-", of(ALNUM, 32)),
    "terraform-token": joined(of(ALNUM, 14), ".atlas", "v1.", of(WORD, 67)),
    "environment-secret": joined("DB_PASS", "WORD=", of(ALNUM, 24)),
    "secret-in-url": joined("https://api.example.org/v1/x?api", "_key=", of(ALNUM, 32), "&page=2"),
    "written-secret": joined("the to", "ken is ", of(ALNUM, 28)),
    "json-web-token": lambda rng: f"{_segment('alg')}.{_segment('sub')}.{of(WORD, 43)(rng)}",
    "authorization-header": joined("Authorization", ": Bearer ", of(ALNUM, 40)),
    "password-in-url": joined("postgresql://clerk:", of(ALNUM, 16), "@db.example.org/ledger"),
    "assigned-secret": joined("pass", 'word = "', of(ALNUM, 18), '"'),
}  # fmt: skip

BROKEN = {"authorization-header", "password-in-url", "assigned-secret", "private-key", "aws-secret-key"}
BROKEN |= {"environment-secret", "secret-in-url", "written-secret"}
"""Kinds that are known by what stands beside them: broken over lines they are not."""

FRAMES = (
    "export TOKEN={}\n",
    '{{"token": "{}", "user": "amy"}}',
    "2026-03-01T09:00:00Z INFO calling with {} (attempt 2)",
    "+  token: {}\n-  token: none\n",
    "Here is what you asked for:\n\n    {}\n\nKeep it to yourself.",
    "curl -H 'X-Token: {}' http://127.0.0.1:8080/",
    "{}",
)
COUNT = 8  # texts of each kind


def texts(part: int) -> list[tuple[str, str, bytes]]:
    """(kind, the secret itself, a text that holds it): part 0 is for tuning, part 1 only for counting."""
    found = []
    for kind, make in KINDS.items():
        for number in range(part, 2 * COUNT, 2):
            rng = random.Random(f"{kind} {number}")
            secret = make(rng)
            found.append((kind, secret, _set(kind, secret, number // 2, rng)))
    return found


def _set(kind: str, secret: str, number: int, rng: random.Random) -> bytes:
    if number == COUNT - 1 and kind not in BROKEN:
        middle = rng.randrange(len(secret) // 3, 2 * len(secret) // 3)
        first, second = secret[:middle], secret[middle:]
        how = rng.choice(["{}\\\n  {}", "{}\n{}", '"{}" +\n    "{}"'])
        return ("token: " + how.format(first, second) + "\n").encode()
    text = FRAMES[number % len(FRAMES)].format(secret)
    if number == COUNT - 2:
        return b"data: " + base64.b64encode(f"user amy\n{text}".encode()) + b"\n"
    return text.encode()
