"""What a round says: agreement, screening outcome, frozen reports, tables, pictures, files."""
