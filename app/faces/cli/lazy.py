"""``clew ask``: one command a question, made when asked for, so that nothing else pays for the shelf."""

from __future__ import annotations

from typing import Any

from typer.core import TyperGroup


class Questions(TyperGroup):
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
