"""`repc` and `python -m repc`."""

import gc
import sys

# A compilation makes many small objects that live to its end: with the usual threshold a quarter of the time of
# `repc check` goes into looking for cycles among them. Set before the compiler is imported.
gc.set_threshold(100_000, 20, 20)

from repc.command import main  # noqa: E402

__all__ = ["main"]

if __name__ == "__main__":
    sys.exit(main())
