"""`python -m dovetail`: the command `dovetail`."""

from dovetail.command_line import dovetail

if __name__ == "__main__":
    dovetail()
