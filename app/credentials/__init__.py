"""Who is asking, and what he may: API keys, bearer tokens, and the principal that each amounts to.

``scopes`` names the rights, ``secret`` makes and reads keys, ``keys`` keeps them in the ledger's database,
``tokens`` checks JSON Web Tokens of configured issuers, and ``gate`` puts them together for a face.
"""
