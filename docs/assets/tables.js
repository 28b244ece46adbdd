// Lets a keyboard scroll the tables, code and old pictures that are wider than the screen, and tells whether they are
// scrolled, and whether something of them is cut at their end.
//
// To those who hear a table, its first column names its rows, the heading above it is its name, and a heading without
// words is none. What scrolls takes focus, with the heading above it as its name. The styles that hang on `is-scrolled` and `is-cut`
// are in tables.css and budget.css. Without scripts a browser of today lets a keyboard into whatever scrolls by itself.
(function () {
  "use strict";

  // The nearest heading above: what the table is about.
  function nameOf(wrap) {
    const headings = [...document.querySelectorAll("article :is(h1, h2, h3, h4)")];
    const above = headings.filter((each) => each.compareDocumentPosition(wrap) & Node.DOCUMENT_POSITION_FOLLOWING).pop();
    const words = above?.cloneNode(true);
    words?.querySelectorAll(".headerlink").forEach((link) => link.remove());
    const kind = wrap.matches("code") ? "Code" : wrap.matches("p") ? "Picture" : "Table";
    return words ? `${kind}: ${words.textContent.trim()}` : kind;
  }

  function mark(wrap) {
    wrap.classList.toggle("is-scrolled", wrap.scrollLeft > 0);
    wrap.classList.toggle("is-cut", wrap.scrollLeft + wrap.clientWidth < wrap.scrollWidth - 1);
  }

  function look(wrap) {
    mark(wrap);
    const scrolls = wrap.scrollWidth > wrap.clientWidth + 1;
    if (scrolls === wrap.hasAttribute("tabindex")) return;
    if (!scrolls) return ["tabindex", "role", "aria-label"].forEach((name) => wrap.removeAttribute(name));
    wrap.tabIndex = 0;
    wrap.setAttribute("role", "group");
    wrap.setAttribute("aria-label", nameOf(wrap));
  }

  function label(table) {
    table.ariaLabel ??= nameOf(table);
    for (const heading of table.tHead?.rows[0]?.cells ?? []) if (!heading.textContent.trim()) heading.role = "cell";
    const rows = [...table.tBodies].flatMap((body) => [...body.rows]).filter((row) => row.cells.length > 1);
    for (const { cells } of rows) if (cells[0].textContent.trim()) cells[0].role = "rowheader";
  }

  function start() {
    document.querySelectorAll("article table").forEach(label);
    // Material's dialog for searching has no name.
    document.querySelector(".md-search[role=dialog]:not([aria-label])")?.setAttribute("aria-label", "Search");
    const sizes = new ResizeObserver((seen) => seen.forEach((each) => look(each.target)));
    const scrolling = ".md-typeset__scrollwrap, .md-typeset pre > code, figure.chart:not([data-spec]) > p";
    for (const wrap of document.querySelectorAll(scrolling)) {
      sizes.observe(wrap);
      wrap.addEventListener("scroll", () => mark(wrap), { passive: true });
    }
  }

  // Material wraps the tables of a page when it has loaded; another theme leaves them as they are.
  if (document.readyState === "complete") setTimeout(start);
  else addEventListener("load", () => setTimeout(start));
})();
