// Lets the index of the search wait until somebody searches: it is most of what a first visit would load.
//
// Material asks for it as soon as a page is there. `budget build` puts this script before Material's own; in a site that
// another builder makes it is not used, and the index comes at once, as ever. Names with hyphens are sought whole, too;
// words that every page has are left out, and words that pages do not use are sought as those that they use.
(function () {
  "use strict";

  const { open, send } = XMLHttpRequest.prototype;
  const waiting = [];
  let wanted = /[?&][qh]=/.test(location.search); // a link to what was searched for

  XMLHttpRequest.prototype.open = function (method, address, ...more) {
    if (!wanted && /\/search\/search_index\.json$/.test(String(address))) {
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
    oom: "memory",
    over: "status",
    quota: "allocation",
    remaining: "left status",
  };

  // The words of a query that say something, each with that by which pages call it; a small number says little.
  function meant(query) {
    const message = query.toLowerCase().replace(/^there is no\b/, "+problems +findings");
    const words = message.replace(/\b(pull|merge) request\b/, "team review").split(/\s+/);
    const telling = words.filter((word) => !COMMON.has(word));
    const sought = telling.length ? telling : words;
    const weighed = (word) => (sought.length > 1 && /^\d\d?$/.test(word) ? `${word}^0.1` : `${word} ${SYNONYMS[word] ?? ""}`);
    return sought.map(weighed).join(" ");
  }

  // A name of several parts, such as an id or an address, is found whole: all parts have to be there, and the last one may
  // still be being typed. Left to itself, the search takes what stands between hyphens for words of which any will do. Of
  // an address the index has three parts; the others, but for the last, may be in a title.
  function whole(query) {
    const isName = (word) => /^[\p{L}\p{N}_.]+(-[\p{L}\p{N}_.]+)+$/u.test(word);
    const parts = (word) => word.split("-").map((part) => `+${part}`).join(" ") + "*";
    const address = /(?<!\S)((?:[\w-]+\.){2}[\w-]+)((?:\.[\w-]+)*)\.[\w-]+(?!\S)/g;
    const known = meant(query).replace(address, (all, head, rest) => parts(head) + rest.replace(/[.-]/g, " "));
    return known.split(/\s+/).map((word) => (isName(word) ? parts(word) : word)).join(" ");
  }

  const QUERY = 2; // the kind of message by which Material asks its worker
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, ...more) {
    const asks = message?.type === QUERY && typeof message.data === "string" && !message.data.includes('"');
    return postMessage.call(this, asks ? { ...message, data: whole(message.data) } : message, ...more);
  };

  const isOfSearch = (event) => event.target.closest?.(".md-search, [for=__search], #__search");
  for (const kind of ["focusin", "pointerover", "change"]) {
    document.addEventListener(kind, (event) => isOfSearch(event) && want(), true);
  }
})();
