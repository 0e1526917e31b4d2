"""What tests share: programs, tables, oracles and comparisons."""
