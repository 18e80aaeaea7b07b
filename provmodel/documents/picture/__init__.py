"""A document as nodes and edges, for the formats that show it: DOT, SVG and GraphML.

Nothing here can be read back. What a picture can't hold is told, as by every other writer.
"""
