"""What notebooks get by `%load_ext dovetail`."""
