"""What happens when the disk of the data folder is nearly full, and what is kept back for that hour."""
