"""Imports in processes of their own, forked from one that has read the project: none waits for Python to start.

`python -m tests.worlds.imports_apart FOLDER` imports that folder for every line that it reads, for as many seconds
as the line says, kills the import if it is still at work then, and prints its exit code.
"""

import multiprocessing
import sys
from io import StringIO

import django
from django.core.management import call_command, load_command_class


def main(folder: str) -> None:
    django.setup()
    load_command_class("replication", "import_study")
    apart = multiprocessing.get_context("fork")
    for line in sys.stdin:
        process = apart.Process(
            target=call_command,
            args=["import_study", folder],
            kwargs={"study": "engines", "stdout": StringIO()},
        )
        process.start()
        process.join(float(line))
        process.kill()
        process.join()
        # The answer to whoever wrote the line.
        sys.stdout.write(f"{process.exitcode}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1])
