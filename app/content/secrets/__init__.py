"""Secrets kept out: keys and tokens are replaced by what they are, before anything is stored.

``rules`` lists what is looked for, ``finding`` finds it in bytes, ``redacting`` takes it out of events.
"""

from app.content.secrets.finding import Finder
from app.content.secrets.redacting import Redactor
from app.content.secrets.rules import RULES, Rule, read_rules

__all__ = ["RULES", "Finder", "Redactor", "Rule", "read_rules"]
