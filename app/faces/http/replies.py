"""The forms of what is read, for the OpenAPI description."""

from __future__ import annotations

import msgspec

from app import access, documents, listing, pingbacks, restrictions, searching
from app.cases import forms
from app.faces.http.asking import Questions
from app.faces.http.content import TagKey
from app.faces.http.health import Health
from app.faces.http.identifying import Me
from app.keeping import forms as keeping
from app.keeping.previewing import Preview
from app.retention import Swept
from app.service import Submitted
from app.service.capturing import Captured


def types() -> list[type[msgspec.Struct]]:
    """Every Struct that a reading address answers with, but for the answers to questions."""
    return [
        Questions,
        Health,
        Me,
        TagKey,
        Captured,
        listing.EventList,
        listing.RunList,
        listing.SourceList,
        listing.NodeList,
        listing.NodeDetails,
        searching.Hits,
        access.AccessList,
        restrictions.RestrictionList,
        restrictions.Restriction,
        restrictions.Readers,
        documents.DocumentList,
        pingbacks.PingbackList,
        Submitted,
        forms.Opening,
        forms.Deciding,
        forms.Rerunning,
        forms.Run,
        forms.Case,
        forms.CaseList,
        keeping.Putting,
        keeping.Placing,
        keeping.Sweeping,
        keeping.Deleting,
        keeping.Erasing,
        keeping.PolicyList,
        keeping.HoldList,
        keeping.Forgotten,
        keeping.DeletionList,
        Preview,
        Swept,
    ]
