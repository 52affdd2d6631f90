"""The command `gmm-run` of an installed package, also `python -m tessera`."""

import signal
import sys

from . import _tessera


def main() -> None:
    """Runs the command line and ends the process with its exit code."""
    # Python ignores SIGPIPE and handles SIGINT only between its own instructions.
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    sys.exit(_tessera.run_process(sys.argv[1:]))


if __name__ == "__main__":
    main()
