"""The command line as `python -m layoutalg`."""

from layoutalg.cli import main

if __name__ == "__main__":
    main()
