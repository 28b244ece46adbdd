// Lets the index of the search wait until somebody searches: it is most of what a first visit would load.
//
// A theme asks for it as soon as a page is there. `budget build` puts this script before the theme's own; in a site that
// is built otherwise it is not used, and the index comes at once, as ever. Names with hyphens are sought whole, too;
// words that every page has are left out, and words that pages do not use are sought as those that they use.
(function () {
  "use strict";

  const { open, send } = XMLHttpRequest.prototype;
  const waiting = [];
  let wanted = /[?&][qh]=/.test(location.search); // a link to what was searched for

  XMLHttpRequest.prototype.open = function (method, address, ...more) {
    if (!wanted && /\/search(\/search_index)?\.json$/.test(String(address))) {
      this.send = (...parts) => waiting.push(() => send.apply(this, parts));
    }
    return open.call(this, method, address, ...more);
  };

  function want() {
    wanted = true;
    waiting.splice(0).forEach((go) => go());
  }

  const COMMON = new Set(
    (
      "a about an and are be by can do does for from get have how i in is it much my of on or our per should that the there " +
      "this to was when where which who why will with you your"
    ).split(" "),
  );
  const SYNONYMS = {
    __proto__: null, // `constructor` is a word, too
    carbon: "emissions",
    frozen: "releases",
    glossary: "words",
    job: "run",
    jobs: "runs",
    left: "status",
    oom: "memory",
    over: "status",
    quota: "allocation",
    remaining: "left status",
  };

  // Zensical finds only what has all words of a query, and weighs no page: those words of titles stand for others.
  const TITLES = {
    ...SYNONYMS,
    __proto__: null,
    carbon: "energy emissions",
    job: "job",
    jobs: "jobs",
    left: "left",
    oom: "check memory",
    over: "status limits",
    remaining: "left",
  };

  // The words of a query that say something, each as it is to be asked for.
  function meant(query, spelled) {
    const message = query.toLowerCase().replace(/^there is no\b/, "+problems +findings");
    const asked = message.replace(/\bwhat[ -]if\b.*/, "inputs effect"); // a search has neither word
    const phrases = asked.replace(/\b(pull|merge) request\b/, "team review").replace(/\bprice of\b/, "catalogue price");
    const words = phrases.replace(/\bout of memory\b/, "oom").split(/\s+/);
    const telling = words.filter((word) => !COMMON.has(word));
    return (telling.length ? telling : words).map(spelled).join(" ");
  }

  // A word with that by which pages call it; a small number says little.
  function weighed(word, at, words) {
    return words.length > 1 && /^\d\d?$/.test(word) ? `${word}^0.1` : `${word} ${SYNONYMS[word] ?? ""}`;
  }

  const ADDRESS = /(?<!\S)((?:[\w-]+\.){2}[\w-]+)((?:\.[\w-]+)*)\.[\w-]+(?!\S)/g;

  // A name of several parts, such as an id or an address, is found whole: all parts have to be there, and the last one may
  // still be being typed. Left to itself, the search takes what stands between hyphens for words of which any will do. Of
  // an address the index has three parts; the others, but for the last, may be in a title.
  function whole(query) {
    const isName = (word) => /^[\p{L}\p{N}_.]+(-[\p{L}\p{N}_.]+)+$/u.test(word);
    const parts = (word) => word.split("-").map((part) => `+${part}`).join(" ") + "*";
    const known = meant(query, weighed).replace(ADDRESS, (all, head, rest) => parts(head) + rest.replace(/[.-]/g, " "));
    return known.split(/\s+/).map((word) => (isName(word) ? parts(word) : word)).join(" ");
  }

  // The sections of pages, for Zensical: the first of a page is found by the words of them all.
  function gathered(items) {
    const texts = {};
    for (const { location, title, text } of items) {
      const page = location.split("#")[0];
      texts[page] = `${texts[page] ?? ""} ${title} ${text}`;
    }
    return items.map((item) => ({ ...item, text: `${item.text} ${texts[item.location] ?? ""}` }));
  }

  // What a theme asks its worker: at first to read the sections (0), then what a query finds (2).
  function asked({ type, data }) {
    if (type === 0 && data.items) return { type, data: { ...data, items: gathered(data.items) } };
    if (type === 2 && data.input) {
      const named = (word) => TITLES[word] ?? word.replace("+", "");
      return { type, data: { ...data, input: meant(data.input.replace(ADDRESS, "$1"), named) } };
    }
    return { type, data: type === 2 && typeof data === "string" && !data.includes('"') ? whole(data) : data };
  }

  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...more) {
    return postMessage.call(this, asked(message), ...more);
  };

  const isOfSearch = ({ target, key }) => target.closest?.(".md-search, [for=__search], #__search") || /^[fks/]$/.test(key);
  for (const kind of ["focusin", "pointerover", "change", "keydown"]) {
    document.addEventListener(kind, (event) => isOfSearch(event) && want(), true);
  }
})();
