"""REST over HTTP: FastAPI for what is read, plain routes and msgspec for what is written."""

from app.faces.http.application import create_app
from app.faces.http.guard import LOOPBACK

__all__ = ["LOOPBACK", "create_app"]
