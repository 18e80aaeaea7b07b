"""Three faces of the same verbs: HTTP, the command line and MCP. Each turns its own words into a verb, and no
more.
"""
