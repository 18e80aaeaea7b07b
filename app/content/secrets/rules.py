"""What a secret looks like: one rule a kind of key or token, in the syntax of RE2.

A rule with a group takes out what the group holds, else all that it matches. ``firm`` rules begin with what
the issuer puts there so that keys can be found, and are looked for across broken lines, too; the others say of what stands beside them that it is a secret, and a value that is no random text is let go.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from provmodel.errors import StoreTrouble


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of secret: its name, as it stands in the marker, and how it is known."""

    name: str
    pattern: str
    firm: bool = True


_HEX = "[0-9a-f]"
_WORD = "[A-Za-z0-9_-]"
_ALNUM = "[A-Za-z0-9]"
_UUID = f"{_HEX}{{8}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{4}}-{_HEX}{{12}}"

# Each pattern in one line, whatever its length: broken up it can't be compared with what an issuer says.
# ruff: noqa: E501
RULES: tuple[Rule, ...] = (
    Rule("age-key", r"\bAGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}\b"),
    Rule("airtable-token", rf"\bpat{_ALNUM}{{14}}\.{_HEX}{{64}}\b"),
    Rule("anthropic-key", rf"\bsk-ant-(?:api|admin|oat|sid)\d\d-{_WORD}{{80,}}"),
    Rule("aws-access-key", r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    Rule("aws-secret-key", r"(?i)(?:aws[a-z_ ]{0,20}(?:secret|private)|secret_?access)[a-z_ ]{0,20}[\"']?\s?(?:=>|[:=])\s?[\"']?([a-z0-9/+]{40})\b"),
    Rule("azure-client-secret", r"\b[A-Za-z0-9_~.-]{3}\dQ~[A-Za-z0-9_~.-]{31,34}\b"),
    Rule("azure-sas", r"[?&;]sig=([A-Za-z0-9%+/]{43,100}(?:%3[dD]|=))"),
    Rule("azure-storage-key", r"\bAccountKey=([A-Za-z0-9+/]{86}==)"),
    Rule("cloudflare-token", rf"\bv1\.0-{_HEX}{{24}}-{_HEX}{{146}}\b"),
    Rule("databricks-token", rf"\bdapi{_HEX}{{32}}(?:-\d)?\b"),
    Rule("digitalocean-token", rf"\bdo[opr]_v1_{_HEX}{{64}}\b"),
    Rule("discord-token", rf"\b[MNO]{_WORD}{{23,27}}\.{_WORD}{{6}}\.{_WORD}{{27,38}}\b"),
    Rule("docker-token", rf"\bdckr_(?:pat|oat)_{_WORD}{{27,64}}"),
    Rule("doppler-token", rf"\bdp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_ALNUM}{{40,44}}\b"),
    Rule("flyio-token", r"\bFlyV1 fm[12][ar]?_[A-Za-z0-9+/=,_-]{100,}"),
    Rule("github-token", rf"\bgh[pousr]_{_ALNUM}{{36,255}}\b"),
    Rule("github-fine-token", rf"\bgithub_pat_{_ALNUM}{{22}}_{_ALNUM}{{59}}\b"),
    Rule("gitlab-token", rf"\bgl(?:pat|dt|rt|ptt|ft|soat|cbt)-{_WORD}{{20,64}}"),
    Rule("google-api-key", rf"\bAIza{_WORD}{{35}}"),
    Rule("google-client-secret", rf"\bGOCSPX-{_WORD}{{28}}"),
    Rule("google-access-token", r"\bya29\.[A-Za-z0-9_.-]{30,}"),
    Rule("grafana-token", r"\bgl(?:c_[A-Za-z0-9+/]{32,}={0,2}|sa_[A-Za-z0-9]{32}_[0-9a-f]{8})"),
    Rule("groq-key", rf"\bgsk_{_ALNUM}{{52}}\b"),
    Rule("huggingface-token", rf"\b(?:hf|api_org)_{_ALNUM}{{34,40}}\b"),
    Rule("linear-key", rf"\blin_(?:api|oauth)_{_ALNUM}{{40,64}}\b"),
    Rule("mailchimp-key", rf"\b{_HEX}{{32}}-us\d\d?\b"),
    Rule("mailgun-key", rf"\bkey-{_HEX}{{32}}\b"),
    Rule("newrelic-key", r"\bNRAK-[A-Z0-9]{27}\b"),
    Rule("notion-token", rf"\b(?:secret_{_ALNUM}{{43}}|ntn_{_ALNUM}{{46}})\b"),
    Rule("npm-token", rf"\bnpm_{_ALNUM}{{36}}\b"),
    Rule("openai-key", rf"\bsk-(?:(?:proj|svcacct|admin)-{_WORD}{{40,}}|{_WORD}{{20,}}T3BlbkFJ{_WORD}{{20,}}|{_ALNUM}{{48}}\b|{_HEX}{{32}}\b)"),
    Rule("perplexity-key", rf"\bpplx-{_ALNUM}{{48}}\b"),
    Rule("planetscale-token", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9=._-]{32,64}"),
    Rule("postman-key", rf"\bPMAK-{_HEX}{{24}}-{_HEX}{{34}}\b"),
    Rule("private-key", r"(?s)-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?:.*?-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----|[A-Za-z0-9+/=\s\\]*)"),
    Rule("pulumi-token", rf"\bpul-{_HEX}{{40}}\b"),
    Rule("pypi-token", rf"\bpypi-AgEIcHlwaS5vcmc{_WORD}{{50,}}"),
    Rule("replicate-token", rf"\br8_{_ALNUM}{{37}}\b"),
    Rule("rubygems-key", rf"\brubygems_{_HEX}{{48}}\b"),
    Rule("sendgrid-key", rf"\bSG\.{_WORD}{{22}}\.{_WORD}{{43}}"),
    Rule("sentry-token", r"\bsntry[su]_[A-Za-z0-9_+/=]{40,}"),
    Rule("shopify-token", r"\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}\b"),
    Rule("slack-token", r"\bxox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}"),
    Rule("slack-webhook", r"\bhooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/]{30,80})"),
    Rule("square-token", rf"\b(?:EAAA{_WORD}{{60}}|sq0(?:atp|csp)-{_WORD}{{22,43}})"),
    Rule("stripe-key", rf"\b[sr]k_(?:live|test)_{_ALNUM}{{24,247}}\b"),
    Rule("stripe-webhook-secret", r"\bwhsec_[A-Za-z0-9+/]{32,64}=?"),
    Rule("telegram-token", rf"\b\d{{8,10}}:AA{_WORD}{{33}}"),
    Rule("twilio-key", rf"\bSK{_HEX}{{32}}\b"),
    Rule("vault-token", rf"\bhv[sbr]\.{_WORD}{{24,300}}"),
    Rule("xai-key", rf"\bxai-{_ALNUM}{{80}}\b"),
    Rule("asana-token", rf"\b[12]/\d{{15,17}}:{_HEX}{{32}}\b"),
    Rule("atlassian-token", rf"\bATATT3{_WORD}{{100,}}(?:=[0-9A-F]{{8}})?"),
    Rule("azure-shared-key", r"\bShared(?:Access)?Key=([A-Za-z0-9+/]{43}=)"),
    Rule("brevo-key", rf"\bxkeysib-{_HEX}{{64}}-{_ALNUM}{{16}}\b"),
    Rule("buildkite-token", rf"\bbk[a-z]a_{_HEX}{{40}}\b"),
    Rule("circleci-token", rf"\bCCIP(?:AT|RJ)_{_ALNUM}{{22}}_{_HEX}{{40}}\b"),
    Rule("contentful-token", rf"\bCFPAT-{_WORD}{{43}}"),
    Rule("dropbox-token", rf"\bsl\.(?:u\.)?{_WORD}{{130,}}"),
    Rule("elevenlabs-key", rf"\bsk_{_HEX}{{48}}\b"),
    Rule("facebook-token", rf"\bEAA{_ALNUM}{{97,300}}\b"),
    Rule("figma-token", rf"\bfig[dou]_{_WORD}{{40}}"),
    Rule("fireworks-key", rf"\bfw_{_ALNUM}{{24}}\b"),
    Rule("google-refresh-token", rf"\b1//0{_WORD}{{40,}}"),
    Rule("heroku-key", rf"\bHRKU-{_UUID}\b"),
    Rule("hubspot-token", rf"\bpat-(?:na|eu|ap)\d-{_UUID}\b"),
    Rule("langfuse-key", rf"\bsk-lf-{_UUID}\b"),
    Rule("langsmith-key", rf"\blsv2_(?:pt|sk)_{_HEX}{{32}}_{_HEX}{{10}}\b"),
    Rule("launchdarkly-key", rf"\b(?:sdk|api|mob)-{_UUID}\b"),
    Rule("mapbox-token", rf"\bsk\.eyJ{_WORD}{{40,}}\.{_WORD}{{20,}}"),
    Rule("netlify-token", rf"\bnf[pcoub]_{_ALNUM}{{36}}\b"),
    Rule("nuget-key", r"\boy2[a-z0-9]{43}\b"),
    Rule("nvidia-key", rf"\bnvapi-{_WORD}{{60,70}}"),
    Rule("onepassword-token", rf"\bops_eyJ{_WORD}{{200,}}"),
    Rule("openrouter-key", rf"\bsk-or-v1-{_HEX}{{64}}\b"),
    Rule("pinecone-key", rf"\bpcsk_{_ALNUM}{{4,8}}_{_ALNUM}{{50,70}}\b"),
    Rule("prefect-key", rf"\bpn[ub]_{_ALNUM}{{36}}\b"),
    Rule("render-key", rf"\brnd_{_ALNUM}{{28,32}}\b"),
    Rule("resend-key", rf"\bre_{_ALNUM}{{8}}_{_ALNUM}{{24}}\b"),
    Rule("shippo-token", rf"\bshippo_(?:live|test)_{_HEX}{{40}}\b"),
    Rule("slack-app-token", r"\bxapp-\d-[A-Z0-9]{8,14}-\d{10,16}-[0-9a-f]{64}\b"),
    Rule("sonar-token", rf"\bsq[pua]_{_HEX}{{40}}\b"),
    Rule("sourcegraph-token", rf"\bsgp_(?:(?:{_HEX}{{16}}|local)_)?{_HEX}{{40}}\b"),
    Rule("supabase-token", rf"\bsb(?:p_{_HEX}{{40}}|_secret_{_WORD}{{22,}})"),
    Rule("tailscale-key", rf"\btskey-[a-z]+-{_ALNUM}{{8,20}}-{_ALNUM}{{20,40}}\b"),
    Rule("terraform-token", rf"\b{_ALNUM}{{14}}\.atlasv1\.{_WORD}{{60,}}"),
    Rule("json-web-token", rf"\beyJ{_WORD}{{10,}}\.eyJ{_WORD}{{10,}}\.{_WORD}{{10,}}"),
    Rule("authorization-header", r"(?i)\bauthorization[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:bearer|basic|token)\s+([a-z0-9._~+/=-]{16,})", firm=False),
    Rule("password-in-url", r"\b[a-z][a-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,64}:([^\s/@\"'<>]{6,128})@[A-Za-z0-9.-]+", firm=False),
    Rule("assigned-secret", r"(?i)(?:password|passwd|secret|api[_-]?key|access[_-]?key|auth[_-]?token|access[_-]?token|\btoken)[\"']?\s{0,4}(?:=>|:=|[:=])\s{0,4}[\"']([^\s\"'<>{}$]{12,128})[\"']", firm=False),
    Rule("aws-session-token", r"(?i)session_?token[\"']?\s{0,4}[:=]\s{0,4}[\"']?([a-z0-9/+=]{100,})", firm=False),
    Rule("curl-password", r"\s(?:-u|--user)[ =][\"']?[A-Za-z0-9._@-]{1,64}:([^\s\"'$]{6,128})", firm=False),
    Rule("docker-login", r"\"auth\":\s{0,4}\"([A-Za-z0-9+/]{16,}={0,2})\"", firm=False),
    Rule("environment-secret", r"\b[A-Z0-9_]*(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|SECRET_?KEY|_authToken)(?:_[A-Z0-9]+)?=[\"']?([^\s\"'`$<>(){},;\[\]\\]{16,400})", firm=False),
    Rule("secret-in-url", r"(?i)[?&;](?:api_?key|access_?token|auth_?token|token|secret|client_secret|password|sig|signature|x-amz-signature|x-goog-signature)=([a-z0-9._~%+/-]{16,})", firm=False),
    Rule("wireguard-key", r"\bPrivateKey\s?=\s?([A-Za-z0-9+/]{43}=)"),
    Rule("written-secret", r"(?i)(?:password|passwd|passphrase|secret|token|api[_-]?key|access[_-]?key|secret[_-]?key)(?::\s{1,4}|\s+is\s+|\s=\s)[\"'`]?([a-z0-9+/_~!#%^*=-]{16,200})(?:[.,;\s\"'`<]|\z)", firm=False),
)  # fmt: skip
"""The rules that ship."""

HINTS: dict[str, str] = {
    "age-key": "AGE-SECRET-KEY-1",
    "airtable-token": r"\bpat[A-Za-z0-9]{14}\.",
    "anthropic-key": "sk-ant-",
    "aws-access-key": "AKIA|ASIA|ABIA|ACCA",
    "aws-secret-key": "(?i)aws[a-z_ ]{0,20}(?:secret|private)|secret_?access",
    "azure-client-secret": r"\dQ~",
    "azure-sas": "[?&;]sig=",
    "azure-storage-key": "AccountKey=",
    "cloudflare-token": r"v1\.0-",
    "databricks-token": r"\bdapi[0-9a-f]",
    "digitalocean-token": "do[opr]_v1_",
    "discord-token": r"[A-Za-z0-9_-]\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{8}",
    "docker-token": "dckr_[po]at_",
    "doppler-token": r"\bdp\.[a-z]",
    "flyio-token": "FlyV1 fm",
    "github-token": "gh[pousr]_",
    "github-fine-token": "github_pat_",
    "gitlab-token": r"\bgl[a-z]{2,4}-",
    "google-api-key": "AIza",
    "google-client-secret": "GOCSPX-",
    "google-access-token": r"ya29\.",
    "grafana-token": "glc_|glsa_",
    "groq-key": "gsk_",
    "huggingface-token": "hf_|api_org_",
    "linear-key": "lin_(?:api|oauth)_",
    "mailchimp-key": r"[0-9a-f]-us\d",
    "mailgun-key": "key-[0-9a-f]{6}",
    "newrelic-key": "NRAK-",
    "notion-token": "secret_|ntn_",
    "npm-token": "npm_",
    "openai-key": "sk-(?:proj|svcacct|admin)-|T3BlbkFJ|sk-[A-Za-z0-9]{8}",
    "perplexity-key": "pplx-",
    "planetscale-token": "pscale_",
    "postman-key": "PMAK-",
    "private-key": "PRIVATE KEY",
    "pulumi-token": r"\bpul-[0-9a-f]",
    "pypi-token": "pypi-AgEI",
    "replicate-token": r"\br8_",
    "rubygems-key": "rubygems_",
    "sendgrid-key": r"\bSG\.",
    "sentry-token": "sntry[su]_",
    "shopify-token": "shp(?:at|ca|pa|ss)_",
    "slack-token": "xox[abeoprs][.-]",
    "slack-webhook": r"hooks\.slack\.com/",
    "square-token": r"\bEAAA|sq0(?:atp|csp)-",
    "stripe-key": "[sr]k_(?:live|test)_",
    "stripe-webhook-secret": "whsec_",
    "telegram-token": r"\d:AA",
    "twilio-key": r"\bSK[0-9a-f]{6}",
    "vault-token": r"\bhv[sbr]\.",
    "xai-key": r"\bxai-",
    "json-web-token": "eyJ",
    "authorization-header": "(?i)authorization",
    "password-in-url": "://[^\\s/:@\\\"'<>]{0,64}:",
    "assigned-secret": "(?i)(?:password|passwd|secret|[_-]?key|[_-]?token)[\"']?\\s{0,4}(?:=>|:=|[:=])\\s{0,4}[\"']",
    "asana-token": r"[12]/\d{15}",
    "atlassian-token": "ATATT3",
    "azure-shared-key": "Shared(?:Access)?Key=",
    "brevo-key": "xkeysib-",
    "buildkite-token": "bk[a-z]a_",
    "circleci-token": "CCIP(?:AT|RJ)_",
    "contentful-token": "CFPAT-",
    "dropbox-token": r"\bsl\.[A-Za-z0-9_-]{8}",
    "elevenlabs-key": "sk_[0-9a-f]{8}",
    "facebook-token": r"\bEAA[A-Za-z0-9]{8}",
    "figma-token": "fig[dou]_",
    "fireworks-key": r"\bfw_[A-Za-z0-9]{8}",
    "google-refresh-token": "1//0",
    "heroku-key": "HRKU-",
    "hubspot-token": r"pat-[a-z]{2}\d-",
    "langfuse-key": "sk-lf-",
    "langsmith-key": "lsv2_",
    "launchdarkly-key": "(?:sdk|api|mob)-[0-9a-f]{8}-",
    "mapbox-token": r"\bsk\.eyJ",
    "netlify-token": "nf[pcoub]_",
    "nuget-key": r"\boy2[a-z0-9]{8}",
    "nvidia-key": "nvapi-",
    "onepassword-token": "ops_eyJ",
    "openrouter-key": "sk-or-v1-",
    "pinecone-key": "pcsk_",
    "prefect-key": "pn[ub]_",
    "render-key": r"\brnd_",
    "resend-key": r"\bre_[A-Za-z0-9]{8}_",
    "shippo-token": "shippo_",
    "slack-app-token": "xapp-",
    "sonar-token": "sq[pua]_",
    "sourcegraph-token": "sgp_",
    "supabase-token": "sbp_|sb_secret_",
    "tailscale-key": "tskey-",
    "terraform-token": r"\.atlasv1\.",
    "aws-session-token": "(?i)session_?token",
    "curl-password": r"\s(?:-u|--user)[ =]",
    "docker-login": '"auth":',
    "environment-secret": "(?:PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|KEY|_authToken)(?:_[A-Z0-9]+)?=",
    "secret-in-url": "(?i)[?&;](?:[a-z_-]*key|[a-z_-]*token|[a-z_]*secret|password|sig|[a-z-]*signature)=",
    "wireguard-key": r"PrivateKey\s?=",
    "written-secret": r"(?i)(?:password|passwd|passphrase|secret|token|key)(?::\s|\s+is\s|\s=\s)",
}
"""A short pattern for each rule, without which it can't match: what one small automaton looks for first."""


class _File(msgspec.Struct, forbid_unknown_fields=True):
    rules: list[Rule]


def read_rules(path: Path) -> tuple[Rule, ...]:
    """More rules from a JSON file, ``{"rules": [{"name": .., "pattern": .., "firm": true}]}``.

    Raises :class:`StoreTrouble` for a file that can't be read, or a pattern that RE2 does not take.
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=_File).rules
    except OSError as error:
        raise _trouble(path, error.strerror or "it can't be read") from None
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise _trouble(path, str(error)) from None
    for rule in found:
        _check(path, rule)
    return tuple(found)


def _check(path: Path, rule: Rule) -> None:
    import re2  # type: ignore[import-untyped]

    try:
        re2.compile(rule.pattern.encode(), quiet())
    except re2.error as error:
        raise _trouble(path, f"{rule.name}: {error}") from None
    if not rule.name.replace("-", "").isalnum():
        raise _trouble(path, f"{rule.name!r} is no name: letters, digits and hyphens")


def quiet() -> Any:
    """Options under which RE2 reads bytes, and writes nothing to standard error."""
    import re2

    options = re2.Options()
    options.log_errors = False
    options.encoding = re2.Options.Encoding.LATIN1
    return options


def _trouble(path: Path, why: str) -> StoreTrouble:
    return StoreTrouble(
        f"the rules for secrets in {path} can't be used: {why}; mend it, or unset CLEW_SECRET_RULES"
    )
