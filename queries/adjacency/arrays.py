"""NumPy, loaded with the first array that is made: it takes as long as a question to a small ledger, which is
answered without.
"""

from __future__ import annotations

import sys
from importlib import import_module
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

    class _Later:
        """What of NumPy was used before is at hand as in the module itself."""

        def __getattr__(self, name: str) -> Any:
            found = getattr(import_module(_NAME), name)
            setattr(self, name, found)
            return found

    np = _Later()


def loaded() -> bool:
    """Whether this process has NumPy by now."""
    return _NAME in sys.modules
