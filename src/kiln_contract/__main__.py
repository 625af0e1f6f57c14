"""`python -m kiln_contract` is the `kiln-contract` command."""

from __future__ import annotations

import sys

from kiln_contract.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
