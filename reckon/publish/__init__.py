"""What touches docs/ on disk: which files differ from the pages, writing them whole, and the site made of them.

Files are written whole (temporary file, then rename) and only where they differ. Everything in `docs/` except
`guide/`, `assets/` and releases can be deleted and comes back. A file there that no page is made for any more is
removed only where it bears the mark of a render: what somebody put among the pages is told, and nothing is written.

**Several files change together** through `journal`, or not at all. The lock (`.add.lock`, gone afterwards) is held from
before the reading. Journal and lock lie in a *home*: the folder of a project, for its ledger and its releases, or the
root, for the files for CI. Every command that changes a project's ledger is one transaction (`cli/transaction`).

**The site.** The builder gets a staged tree of plain files (`staging`), all of it copied; nothing of ours runs in the
builder. `build`, `serve` and `render --out` all go from `Sources` to `stage`, and none of them writes into the tree.

**Links.** Where links of a tree are followed, in any room, `model/tree` has the one rule: not out of the root, and
not to what is hidden there. Pages, releases and files for CI are written, and releases read, through no link at all.

**Releases.** `model/release` is the snapshot: the ledger files that a release is read from again, its figures
exactly, its findings, checksums of its pages and of itself. `load/versions` edits the one entry in project.yaml. The
command (`cli/release`) tries the ledger as it would be, and `present/pages.frozen` makes pages whose links stay inside.
Checksums tell what was changed, not who wrote it: `model/release` takes nothing that no
release writes, and a journal with a release is completed only if its files are those that its snapshot names, and all
of them. A `.pending.json` that an older version left is refused. What a kill leaves behind has a hidden
name, and is removed by the next run that holds the lock of the project. The note on old releases is put in while the
site is staged (`publish/staging`). The page of the history calculates each snapshot again with today's engine, and
bridges from one to the next (`cli/render`, `present/versions/page`). Why an input changed is said in the ledger, with
the version that brings it, and not in a message of git: so the page is the same without git, and a release keeps it
(`compute/versions/change`).

**Pages as files.** What is written under docs/ is a page as it is kept (`reference_links`): without front matter, with
links to figures by reference. `files.compare` and the command `release` make it so; whoever stages has it as it was
made.

The site is MkDocs 1.6 with Material, whose support ends on 5 May 2027. So `mkdocs.yml` is kept plain, with the
built-in search and tags plugins only, and `--builder zensical` builds the same staged tree with another program
(`zensical`, `local_server`), which needs no MkDocs; `make builders` compares both sites. Its search knows no weights
of pages: `searching.js` asks it for words of titles. Navigation is generated (`docs/nav.yml`, through `INHERIT`),
since text order sorts 1.10 before 1.2.
"""
