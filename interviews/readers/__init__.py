"""Reads what a study of interviews uploads: guides, transcripts, tables of participants, codebooks; and finds
names in transcripts. Pure: bytes and texts in, values out, or interviews.readers.refusals.Unreadable.
"""
