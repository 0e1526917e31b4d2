"""Devices, and which of them arrays are on."""
