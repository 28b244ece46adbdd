"""Documents of a few A4 pages for people outside: the edition of a release, and an application for computing time.

`blocks` is what such a document is made of: texts, tables of texts and pictures, all bounded. `edition` and
`application` fill it from the book, with the pieces of `tables` and `risks`. `typeset` alone imports Typst: it counts
the pages, has lists cut until there are four, and makes the PDF: tagged (PDF/UA-1), with the fonts in it, the same
bytes wherever it is made. What a ledger says goes to Typst as data, which nothing reads as markup; the
one template (`paper.typ`) is ours, and a tree cannot replace it.
"""
