"""Reading the graph: the Graph protocol, policies, walks and the named questions. No SQL, no HTTP."""
