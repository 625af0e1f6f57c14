"""`python -m kiln_server` is the `kiln-server` command."""

from __future__ import annotations

import sys

from kiln_server.cli import main

if __name__ == "__main__":
    sys.exit(main())
