"""The command `dovetail check`: runs a program once under watch, and reports what costs most."""
