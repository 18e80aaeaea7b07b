"""What is typed becomes a text, a whole number or a path. Typer would have Pydantic do it, which takes longer
to load than Typer itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, get_args

import typer


def plainly(parameters: Iterable[Any]) -> None:
    """Let each argument and option be read by :class:`Plain`."""
    for parameter in parameters:
        parameter._runtime_param = Plain(parameter.type_descriptor)


class Plain:
    """Reads the values of one parameter, as a ``RuntimeParam`` of Typer does."""

    def __init__(self, descriptor: Any) -> None:
        kind = descriptor.annotation
        [self._kind] = get_args(kind) or (kind,)
        info = descriptor.parameter_info
        self._range = None if info.min is None else range(info.min, info.max + 1)

    def coerce(self, value: Any, param: Any, ctx: Any) -> Any:
        """The value, each one of a repeatable parameter; raises typer.BadParameter."""
        if param.multiple or param.nargs == -1:
            return tuple(self._read(one, param, ctx) for one in value or ())
        return None if value is None else self._read(value, param, ctx)

    def _read(self, value: Any, param: Any, ctx: Any) -> Any:
        if self._kind is str and not _is_utf8(value):
            raise typer.BadParameter("It holds what is no character; give it in UTF-8.", ctx, param)
        if self._kind is not int:
            return _READ[self._kind](value)
        try:
            number = int(value)
        except ValueError:
            raise typer.BadParameter(f"{value!r} is no whole number.", ctx, param) from None
        if self._range and number not in self._range:
            raise typer.BadParameter(f"{number} is not in {self._range[0]} to {self._range[-1]}.", ctx, param)
        return number


def _is_utf8(text: str) -> bool:
    """False for bytes of the command line that Python could not read as text. Only files may be called so."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


_READ: dict[type, Callable[[Any], Any]] = {str: str, bool: bool, Path: Path}
