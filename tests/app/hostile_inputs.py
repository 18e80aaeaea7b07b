"""What hostile hands put where a value is expected, and what must not come back in an answer."""

from __future__ import annotations

import re
from typing import Any

LONG = 20_000

VALUES: dict[str, str] = {
    "a quote": "' or '1'='1",
    "a statement": "x'); drop table event; --",
    "a sort": "ref desc; select 1",
    "a wildcard": "%_*%",
    "a full text operator": '"a" or b* near(c) - ^ {col}:x',
    "a number without end": "9" * 5000,
    "a number below": "-1",
    "a float": "1e400",
    "a NUL": "a\0b",
    "a line": "a\r\nSet-Cookie: a=b\r\n\r\n<script>",
    "a script": "<script>alert(1)</script>",
    "a link": "javascript:alert(1)",
    "a file": "file:///etc/passwd",
    "a path": "../../../../etc/passwd",
    "an address": "http://127.0.0.1:9/x",
    "another host": "//evil.example/x",
    "a template": "{{7*7}}${7*7}#{7*7}",
    "a prototype": "__proto__",
    "a constructor": "constructor",
    "a formula": "=cmd|' /C calc'!A0",
    "a slow word": "a" * LONG + "!",
    "many blanks": " " * LONG + "x",
    "many dots": "." * LONG,
    "many slashes": "/" * LONG,
    "many brackets": "[" * LONG,
    "many hashes": "a@" * (LONG // 2),
    "half a character": "\udc80",
    "right to left": "a\u202egnp.exe",
    "nothing": "",
    "a blank": " ",
}
"""By what it is. Values of some thousand characters would stall a pattern that goes back and forth."""

TOLD = re.compile(
    r"Traceback|site-packages|/tmp/|\.py:\d|\bselect \w+[.,]|\binsert into\b|sqlite3|psycopg|sqlalchemy",
    re.IGNORECASE,
)
"""What an error would tell of the inside: code, places, statements, drivers."""


def filled(parameters: list[dict[str, Any]], value: str, only: str) -> dict[str, str]:
    """Parameters of an operation, required ones with a plain value, and one with this."""
    given = {one["name"]: "x" for one in parameters if one.get("required") and one["in"] == "query"}
    return {**given, only: value}
