"""What :mod:`benchmarks.export_store` runs in a process of its own, in which no peer is loaded."""

from __future__ import annotations

import sys
from pathlib import Path

from benchmarks.export_workload import peak
from benchmarks.stores import service_at

if __name__ == "__main__":
    service = service_at(Path(sys.argv[1]))
    for _ in service.export("prov-json")[1]:
        pass
    print(peak())
