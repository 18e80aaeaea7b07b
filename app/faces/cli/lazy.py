"""Groups of commands. A list of commands tells the whole sentence of each; ``clew ask`` has one command a
question, made when asked for, so that nothing else pays for the shelf.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from typer.core import TyperCommand, TyperGroup

WHOLE = 10_000  # letters of a sentence


class Commands(TyperGroup):
    """A group whose help says of each command the first sentence whole."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, one.get_short_help_str(WHOLE)) for name, one in commands if one])


class Declared(TyperCommand):
    """A command that its function makes when it is run or looked at; to be listed, its sentence is enough."""

    callback: Callable[[], Any]

    def made(self) -> Any:
        """The command with its options."""
        made = self.callback()
        made.help = self.help
        return made

    def make_context(self, info_name: str | None, args: list[str], parent: Any = None, **extra: Any) -> Any:
        return self.made().make_context(info_name, args, parent, **extra)


class Questions(Commands):
    """A group whose commands are the questions of the shelf."""

    def list_commands(self, ctx: Any) -> list[str]:
        return self._fill()

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        self._fill()
        return super().get_command(ctx, cmd_name)

    def _fill(self) -> list[str]:
        if not self.commands:
            from app.faces.cli import asking

            self.commands.update(asking.commands())
        return sorted(self.commands)
