"""Compiles the C of the index while Clew is built or installed; goes on without where there is no compiler.

``CC`` names the compiler, else it is ``cc``. The library lands beside its source, under a name that tells
what it was made from, as ``queries/adjacency/compiled.py`` looks for it.
"""

import os
import shlex
import subprocess
import sys
import sysconfig
from hashlib import sha256
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SOURCE = Path("queries/adjacency/compiled.c")
FLAGS = ("-std=c11", "-O2", "-shared", "-fPIC")


class CompiledHook(BuildHookInterface[Any]):
    """A wheel with the library is for one platform and any Python; one without is for all."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        del version
        made = compiled(Path(self.root) / SOURCE)
        if made:
            build_data["artifacts"].append(f"/{made.relative_to(self.root)}")
            build_data["pure_python"] = False
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["tag"] = f"py3-none-{platform}"


def compiled(source: Path) -> Path | None:
    """The library, made anew, in place of those of other sources; None where it cannot be made."""
    library = source.with_name(f"compiled-{sha256(source.read_bytes()).hexdigest()[:16]}.so")
    fresh = library.with_suffix(f".{os.getpid()}")
    command = [*shlex.split(os.environ.get("CC") or "cc"), *FLAGS, "-o", str(fresh), str(source)]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        said = error.stderr if isinstance(error, subprocess.CalledProcessError) else error
        print(f"{source.name} is not compiled, NumPy does its work: {said}", file=sys.stderr)
        return None
    fresh.replace(library)
    for other in source.parent.glob("compiled-*.so"):
        if other != library:
            other.unlink(missing_ok=True)
    return library
