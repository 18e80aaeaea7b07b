"""Documents in RDF, in the terms of PROV-O (W3C Recommendation, 30 April 2013).

- A named graph is a bundle; one whose name is blank is part of the main one. A blank node is local to its
  graph.
- A qualified node is one relation, for each subject that points to it. A plain triple whose subject and
  object a qualified node of that property relates too says nothing more; any other is a relation of its own.
- ``prov:wasDerivedFrom`` is also said by qualified nodes of its subproperties.
- ``prov:generatedAtTime`` is the time of the only generation of its subject; where there are none or several,
  it is that of a generation by an activity that isn't named. In the same way ``prov:invalidatedAtTime``.
- ``prov:generated``, ``prov:invalidated`` and ``prov:influenced`` are read as their inverses.
- A subject without a type of PROV-O that has attributes is what its relations make it, with a remark.
- What is said of a subject that is nothing in PROV is carried as the extension ``rdf:Description``.
- A type, a role or a location may be a literal, as attributes of PROV-DM are; it is written so, too.
"""
