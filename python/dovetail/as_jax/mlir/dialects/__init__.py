"""The dialects whose ops lowerings write."""
