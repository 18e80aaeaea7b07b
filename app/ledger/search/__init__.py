"""Search: nodes by the words of their references, labels and attributes.

``words`` cuts and folds, ``index`` takes the words of what was committed, ``find`` asks. The index follows
the log: it is brought up to the head before anything is looked for, and in between by whoever writes.
"""
