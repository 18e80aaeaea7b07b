"""A command: how it reads what is typed, and what its help tells of it."""

from __future__ import annotations

from typing import Any

from typer.core import TyperCommand

from app.faces.cli.reading import plainly

_VALUES = {str: "TEXT", int: "N"}


class Command(TyperCommand):
    """A command whose arguments and options are read plainly, and told without the names of types."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        plainly(self.get_params(ctx))
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        arguments = [one for one in self.get_params(ctx) if _is_argument(one)]
        return ["[OPTIONS]", *(_placed(one) for one in arguments)]

    def format_options(self, ctx: Any, formatter: Any) -> None:
        told = self.get_params(ctx)
        for title, wanted in (("Arguments", True), ("Options", False)):
            rows = [(typed(one), meaning(one)) for one in told if _is_argument(one) is wanted]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def typed(parameter: Any) -> str:
    """How an argument or option is typed: ``-f, --format FORMAT``."""
    if _is_argument(parameter):
        return _name(parameter)
    words = sorted(parameter.opts, key=len)
    return ", ".join(words) + ("" if parameter.is_flag else f" {_name(parameter)}")


def meaning(parameter: Any) -> str:
    """What it means, from where to where it goes, and what holds when it is left out."""
    told, info = str(parameter.help or ""), parameter.type_descriptor.parameter_info
    if info.min is not None:
        told += f" {info.min} to {info.max}."
    if parameter.required and not _is_argument(parameter):
        return f"{told} [required]"
    return told if parameter.default in (None, False, "") else f"{told} [{parameter.default}]"


def _is_argument(parameter: Any) -> bool:
    return bool(parameter.param_type_name == "argument")


def _name(parameter: Any) -> str:
    return str(parameter.metavar or _VALUES.get(parameter.type_descriptor.annotation, parameter.name.upper()))


def _placed(argument: Any) -> str:
    name = _name(argument)
    return name if argument.required or name.startswith("[") else f"[{name}]"
