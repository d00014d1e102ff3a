#!/usr/bin/env python
import os
import sys

if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    if sys.argv[1:2] == ["up"]:
        from core.management.commands.up import Command  # without the applications: it runs for months

        Command().run_from_argv(sys.argv)
    else:
        from django.core.management import execute_from_command_line

        execute_from_command_line(sys.argv)
