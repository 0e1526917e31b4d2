"""What a process does and keeps: profiles, traces, devices, debugging."""
