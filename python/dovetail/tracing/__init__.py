"""Functions traced into the dialect, and ops applied at once."""
