"""From the files of a ledger to its records, or to all that is wrong with them. The only room that reads YAML.

Reads YAML *events*, never objects: no tag or alias is followed, nothing is constructed, depth is a counter. Run files
are handed on entry by entry, so that a long one is never kept as a tree. A long one in which each entry is a line as
the tool writes it is read by `canonical_runs`, as columns, from which the same records with the same places are made
for who asks; all others, and all that is wrong, go through the events.

A what-if (`--set`) goes in here: `overrides` lists every address that can be set in the tree of a file, and puts the
values in before the tree is validated, with a place that says `--set`. So words that are not quantities, structure
(seeds) and all problems are as if the files said so. An address without a place is carried on in `Ledger.unplaced`:
only `compute` knows whether it is calculated, and from what.

Adding a run goes the same way: `run_format` makes its line, and `with_texts` reads the ledger as it would be with it.
An entry stands in a file of its own; for `tidy`, `run_format` turns it into lines of another, with its comments, and
both are read again before anything is taken. Options, a table, and the form of a forge (`cli/forge_forms`) become
entries alike. A measurement is added likewise: `requests` refuses what would have to be guessed, and writes the record;
numbers go through as texts, and their unit goes to the end of the column's name. Files of rows have one reader,
`table`: each cell of CSV or JSON knows its place. Of all rooms only `cli` looks at the clock, and only in `cli/clock`.

`site` reads `mkdocs.yml` and `docs/nav.yml` by the same events, each key by its own shape: what is imported, called,
run or opened is on no list. Where the machine fails at the temporary folder, an OSError goes on to `cli`: it never
looks like a ledger that cannot be read.
"""
