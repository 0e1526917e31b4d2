"""Diagnostics of the process: profiles, traces, devices, debugging."""
