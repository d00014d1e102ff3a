"""What is run beside the platform: checks, pictures, installation."""
