"""The program viewer: an HTML file that shows a program after each phase."""
