"""A long run: `python -m tests.audit.generated 10000 --seed 0`; what is found is made smaller (`--into`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.audit.generated.campaign import Campaign


def main() -> int:
    read = argparse.ArgumentParser(description=__doc__)
    read.add_argument("many", type=int)
    read.add_argument("--seed", type=int, default=0)
    read.add_argument("--into", type=Path, default=Path("build/generated"))
    read.add_argument("--seconds", type=float, default=0.0, help="of the processor, at most")
    read.add_argument("--reduce", type=int, default=6, help="of each claim, so many are made smaller")
    given = read.parse_args()
    campaign = Campaign(given.into, most_reduced=given.reduce)
    campaign.run(given.seed, given.many, given.seconds)
    print(*(f"{name}: {count}" for name, count in sorted(campaign.counts.items())), sep="\n")
    return 1 if campaign.found else 0


sys.exit(main())
