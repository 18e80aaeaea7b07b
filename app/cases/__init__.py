"""Cases: what a retraction affects, as a list to work through.

``forms`` is what a case is to a reader, ``delta`` how two answers differ, ``records`` what is stored of it,
``work`` the verbs, and ``telling`` what is said of it in sentences. Nothing of a case enters the graph.
"""
