"""Makes anew what `layoutalg --help` says: layoutalg/cli/templates/help.txt, in 80 columns and without colours."""

import os
import subprocess
import sys
from pathlib import Path

PATH = Path(__file__).parents[2] / "layoutalg" / "cli" / "templates" / "help.txt"
SAID = "import sys; from layoutalg.cli.app import main; sys.argv = ['layoutalg', '--help']; main()"


def help_text() -> str:
    """What the application itself says."""
    plain = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    return subprocess.run([sys.executable, "-c", SAID], env=plain, capture_output=True, text=True, check=True).stdout


if __name__ == "__main__":
    PATH.write_text(help_text(), encoding="utf-8")
