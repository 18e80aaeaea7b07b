"""Groups of commands, and what a command is. A list of commands tells the whole sentence of each;
``clew ask`` has one command a question, made when asked for, so that nothing pays for the shelf but who asks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from app.faces.cli.command import Command
from app.faces.cli.reading import plainly

WHOLE = 10_000  # letters of a sentence


class Commands(TyperGroup):
    """A group whose help says of each command the first sentence whole."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)

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


class Group(typer.Typer):
    """Commands under one name. Help is plain: the panels of Rich take as long to load as all the rest."""

    def __init__(self, name: str, does: str, cls: type[Commands] = Commands) -> None:
        super().__init__(
            name=name,
            help=does,
            cls=cls,
            no_args_is_help=True,
            add_completion=False,
            pretty_exceptions_enable=False,
            rich_markup_mode=None,
        )

    def command(
        self, name: str | None = None, *, cls: type[TyperCommand] | None = None, **more: Any
    ) -> Callable[[Any], Any]:
        return super().command(name, cls=cls or Command, **more)


class Questions(Commands):
    """A group whose commands are the questions of the shelf."""

    def list_commands(self, ctx: Any) -> list[str]:
        from queries import shelf

        return list(shelf.named())

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        from app.faces.cli import asking

        return asking.command(cmd_name) if cmd_name in self.list_commands(ctx) else None
