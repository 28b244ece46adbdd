"""From a book to what people read: pages, pictures, terminal text, exports. Rounding, wording, escaping live here.

- `render/numbers` rounds, once, half to even. `render/printing.Printer` is the `finalize` of every `{{ }}`: it takes
  figures, ledger text, places and our own markup, and refuses bare numbers, so no numeral can reach a page that is not
  traced; `tests/present/test_traced.py` proves it on the real pages. Ledger text is escaped unless its field is typed
  markdown (`summary`, `text`), and then everything but plain markdown is neutralised.
- Templates run in `sandbox.Sandbox`: data of our objects, methods of this room, and nothing else.
- Sentences and rows that pages alone have stand in `templates/words`, and `word_templates.compose` fills them in: a
  macro there puts out words and figures in order, which the Printer prints like any other sentence. What `status` and
  `add` say in a terminal too stays in Python, since Jinja takes longer to import than either has to spare.
- A table (`table`) is columns and rows of cells, which are figures, texts and a few pieces made of these, and never
  markdown. The Printer prints one (the filter `table`; `piece` prints a cell in prose), `terminal/lines` does on a
  terminal; a template says only where each stands. What a table shows is made beside what it is about: in `budget`,
  `choosing`, `fitting`, `measuring`, `versions`, for the catalogue in `catalogue_tables`, for findings in
  `finding_tables`, for derivations in `derivations`.
  `portfolio` puts projects on shelves by whose they are, with a table each; `home` says before them which
  need attention, by the state of `budget/state` and by how far data lies behind the newest; no clock is read.
- A template sees a project as its `View` (records, figures by address), the tables of its `Budget`, and its
  `Standing` (the state in a word, and the tables of the status page). `budget/state.py` has the one list of rules
  that gives the state, the gravest first; `budget/limits.py` the one rule by which pages and terminal tell how likely
  a limit is exceeded, and when it is reached.
- `choosing` is the same for a project that weighs setups: `Choosing` has its comparisons (one for each record of
  setups; the first is shown in full) and places its texts. A text joins a section of the page that has its heading;
  one under *Best for* whose name ends in `-CHOICE` stands in the row of that setup. `caveats` say where more GPUs save
  no time. A project with workloads and neither plan nor runs is a comparison: it has no status page. No figure is
  calculated here: what a table needs has its cell.
- `measuring` is the same for what was measured: a small frozen view a kind of record (`Measured`, `Projected`,
  `Bounded`, …), and a template each under `templates/measuring/`. `Paper` is a page of the ledger: its sections in
  order, each a list of blocks, and the texts that join it; an address means what `model/pages.py` says, for the check
  in `load` as for the page. `Overview` is what the first page shows, with the records that no page has.
  `View.kind` says which of three kinds a project is: a budget, a comparison of hardware, or what was measured;
  only a budget has a status.
- `fitting` is the same for configurations: side by side, their memory, the cards that they fit, their times. What a
  table needs beside cells (shares, what a lever frees) is calculated by formulas in `compute/fitting/verdict`.
- `measuring.Projected` is a projection as pages show it; `terminal/projection` prints the same amounts for
  `projection`.
- Pictures (`charts`) have one module a kind; the docstring there tells how they are drawn, and when anew.
- Tables for other programs: `export_columns.TABLES` is the one list of tables and columns, `dataframes` makes
  DataFrames of them, `export` has the exact rows of figures, and `workbook` the bytes of xlsx and Parquet, in which no
  time stands."""
