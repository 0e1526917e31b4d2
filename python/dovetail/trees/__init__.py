"""Pytrees: structures, paths, registration, and functions of trees."""
