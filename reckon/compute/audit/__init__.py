from __future__ import annotations
def audit(book): return ()
