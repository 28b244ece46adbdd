// Lets the index of the search wait until somebody searches: it is most of what a first visit would load.
//
// Material asks for it as soon as a page is there. `budget build` puts this script before Material's own; in a site that
// another builder makes it is not used, and the index comes at once, as ever.
(function () {
  "use strict";

  const { open, send } = XMLHttpRequest.prototype;
  const asked = new WeakSet();
  const waiting = [];
  let wanted = /[?&][qh]=/.test(location.search); // a link to what was searched for

  XMLHttpRequest.prototype.open = function (method, address, ...more) {
    if (/\/search\/search_index\.json$/.test(String(address))) asked.add(this);
    return open.call(this, method, address, ...more);
  };

  XMLHttpRequest.prototype.send = function (...parts) {
    if (wanted || !asked.has(this)) return send.apply(this, parts);
    waiting.push(() => send.apply(this, parts));
  };

  function want() {
    wanted = true;
    waiting.splice(0).forEach((go) => go());
  }

  const isOfSearch = (event) => event.target.closest?.(".md-search, [for=__search], #__search");
  for (const kind of ["focusin", "pointerover", "change"]) {
    document.addEventListener(kind, (event) => isOfSearch(event) && want(), true);
  }
})();
