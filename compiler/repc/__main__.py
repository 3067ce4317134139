"""`python -m repc`."""

import sys

from repc.command import main

sys.exit(main())
