"""The words and the rules of Clew: what agents report, what it becomes, and how well each edge is known."""
