"""NumPy, loaded with the first array that is made: it takes as long as a question to a small ledger, which is
answered without.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

__all__ = ["Ints", "loaded", "np"]

_NAME = "numpy"

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Ints = NDArray[Any]
    """An array of unsigned integers; how wide they are is said where it matters."""
else:
    Ints = Any

    class _Later(ModuleType):
        """NumPy from the first use on: a module like any other then, whose names Python finds as soon."""

        def __getattr__(self, name: str) -> Any:
            self.__dict__.update(vars(import_module(_NAME)))
            self.__class__ = ModuleType
            return getattr(self, name)

    np = _Later(_NAME)


def loaded() -> bool:
    """Whether this process has NumPy by now."""
    return _NAME in sys.modules
