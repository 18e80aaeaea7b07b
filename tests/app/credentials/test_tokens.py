"""Bearer tokens: what a configured issuer signed, for Clew, in time, with the key's own algorithm."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from joserfc import jwt
from joserfc.jwk import ECKey, OctKey, OKPKey, RSAKey

from app.credentials.errors import NotSignedIn
from app.credentials.tokens import Granted, Issuer, Tokens
from docs.generate.transcripts import File, read
from provmodel.errors import StoreTrouble
from provmodel.evidence import Evidence

NOW = 1_800_000_000
SIGNER = OKPKey.generate_key("Ed25519", {"kid": "main", "alg": "Ed25519"})
OTHER = ECKey.generate_key("P-256", {"kid": "main", "alg": "ES256"})
GRANT = Granted(scopes=("graph:read", "content:read"), kinds=("person",), cap="declared", groups=("finance",))


def issuer(*keys: Any, **more: Any) -> Issuer:
    jwks = {"keys": [key.as_dict(private=False) for key in keys or (SIGNER,)]}
    held = {"issuer": "https://login.example", "audience": "clew", "tenant": "acme", "grant": GRANT, **more}
    return Issuer(jwks=jwks, **held)


def tokens(*issuers: Issuer) -> Tokens:
    return Tokens(issuers or (issuer(),), now=lambda: NOW)


def signed(key: Any = SIGNER, header: dict[str, Any] | None = None, **changed: Any) -> str:
    claims = {
        "iss": "https://login.example",
        "aud": "clew",
        "exp": NOW + 300,
        "sub": "person:ann",
        "scope": "graph:read admin",
    }
    claims = {name: value for name, value in {**claims, **changed}.items() if value is not None}
    return jwt.encode(
        {"alg": "Ed25519", "kid": "main", **(header or {})},
        claims,
        key,
        algorithms=["Ed25519", "ES256", "HS256"],
    )


def test_a_token_holds_what_its_issuer_grants_and_it_asks_for() -> None:
    identity = tokens().identity(signed())
    assert identity.tenant == "acme"
    assert identity.scopes == {"graph:read"}
    assert (identity.principal.name, identity.principal.cap) == ("person:ann", Evidence.DECLARED)
    assert identity.groups == {"finance"}


@pytest.mark.parametrize(
    ("claim", "held"),
    [(["finance", "board"], {"finance"}), ("finance board", {"finance"}), (None, set()), (7, set())],
)
def test_of_the_groups_granted_a_token_has_those_that_its_claim_lists(claim: object, held: set[str]) -> None:
    identity = tokens(issuer(groups_claim="groups")).identity(signed(groups=claim))
    assert identity.groups == held


def test_a_token_without_a_scope_may_do_nothing() -> None:
    assert tokens().identity(signed(scope=None)).scopes == set()


@pytest.mark.parametrize(
    "changed",
    [
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"exp": NOW - 60},
        {"exp": None},
        {"iss": None},
        {"aud": None},
        {"nbf": NOW + 3600},
        {"sub": None},
        {"sub": ["person:ann"]},
        {"sub": "x" * 201},
    ],
)
def test_a_token_for_others_or_out_of_time_is_refused(changed: dict[str, Any]) -> None:
    with pytest.raises(NotSignedIn):
        tokens().identity(signed(**changed))


def unsigned(header: dict[str, Any], payload: dict[str, Any]) -> str:
    parts = [
        base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()
        for part in (header, payload)
    ]
    return ".".join([*parts, ""])


CLAIMS = {"iss": "https://login.example", "aud": "clew", "exp": NOW + 300, "sub": "a", "scope": "graph:read"}


@pytest.mark.parametrize(
    "forged",
    [
        unsigned({"alg": "none", "kid": "main"}, CLAIMS),
        unsigned({"alg": "None", "kid": "main"}, CLAIMS),
        unsigned({"alg": "Ed25519", "kid": "main"}, CLAIMS),
        unsigned({"alg": "Ed25519", "kid": "../../etc/passwd"}, CLAIMS),
        unsigned({"alg": "Ed25519", "kid": ["main"]}, CLAIMS),
        unsigned({"alg": "Ed25519", "kid": "main", "jwk": SIGNER.as_dict(private=False)}, CLAIMS),
        "a.b.c",
        "....",
        "",
        "é" * 100,
        "A" * 1_000_000,
    ],
)
def test_a_forged_token_is_refused(forged: str) -> None:
    with pytest.raises(NotSignedIn):
        tokens().identity(forged)


def test_the_public_key_is_no_secret_to_sign_with() -> None:
    """Algorithm confusion: HS256 over the bytes of the public key."""
    public: Any = SIGNER.as_dict(private=False)
    for secret in (json.dumps(public).encode(), base64.urlsafe_b64decode(f"{public['x']}==")):
        forged = signed(OctKey.import_key(secret), {"alg": "HS256"})
        with pytest.raises(NotSignedIn):
            tokens().identity(forged)


def test_another_key_under_the_same_id_is_refused() -> None:
    with pytest.raises(NotSignedIn):
        tokens().identity(signed(OTHER, {"alg": "ES256"}))


def test_a_header_that_must_be_understood_and_is_not_is_refused() -> None:
    parts = signed().split(".")
    header = {"alg": "Ed25519", "kid": "main", "crit": ["exp"], "exp": 1}
    parts[0] = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
    with pytest.raises(NotSignedIn):
        tokens().identity(".".join(parts))


def test_issuers_do_not_speak_for_each_other() -> None:
    second = OKPKey.generate_key("Ed25519", {"kid": "second", "alg": "Ed25519"})
    both = tokens(issuer(), issuer(second, issuer="https://other.example", tenant="other"))
    with pytest.raises(NotSignedIn):
        both.identity(signed(second, {"kid": "second"}))
    other = both.identity(signed(second, {"kid": "second"}, iss="https://other.example"))
    assert other.tenant == "other"


@pytest.mark.parametrize(
    ("unsafe", "said"),
    [
        (issuer(OctKey.generate_key(256, {"kid": "a", "alg": "HS256"})), "alg"),
        (issuer(RSAKey.generate_key(2048, {"kid": "a"})), "alg"),
        (issuer(SIGNER, SIGNER), "two keys"),
        (issuer(audience=""), "audience"),
        (issuer(grant=Granted(scopes=("root",))), "root"),
    ],
)
def test_an_unsafe_configuration_is_refused_with_a_reason(unsafe: Issuer, said: str) -> None:
    with pytest.raises(StoreTrouble, match=said):
        tokens(unsafe)


def test_the_file_that_the_page_on_security_shows_is_one(tmp_path: Path) -> None:
    page = Path(__file__).parents[3] / "docs/security.md"
    [shown] = [step for step in read(page.read_text()) if isinstance(step, File)]
    path = tmp_path / shown.name
    path.write_text(shown.text)
    assert isinstance(Tokens.read(path), Tokens)


def test_the_private_half_of_a_key_has_no_place_in_the_configuration(tmp_path: Path) -> None:
    written = json.dumps(
        [
            {
                "issuer": "https://login.example",
                "audience": "clew",
                "tenant": "acme",
                "jwks": {"keys": [SIGNER.as_dict(private=True)]},
                "grant": {"scopes": ["graph:read"]},
            }
        ]
    )
    path = tmp_path / "issuers.json"
    path.write_text(written)
    with pytest.raises(StoreTrouble, match="private half"):
        Tokens.read(path)
    path.write_text("{")
    with pytest.raises(StoreTrouble, match="can't be read"):
        Tokens.read(path)
