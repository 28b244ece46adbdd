// Makes the pictures of a page answer to the pointer and the keyboard.
//
// A picture stands on the page as
//   <figure class="chart" data-spec="NAME.vl.json"> <img src="NAME.svg" alt="…"> </figure>
// and reads well as it is. Once it is used (a pointer comes, a finger, or its button, which the keyboard finds), its
// specification (beside the image) is drawn in its place, in the page's colours; on a narrow screen, where the image would
// be shrunk, once it is seen. What can be done with it then is in pictures/: a stretch of time, runs of a phase, a file.
// Whatever goes wrong, the image stays. Everything comes from the server that the page came from, and nothing is loaded
// before a picture is used.
(function () {
  "use strict";

  const { element, load, whenShown } = globalThis.budgetPage;
  const parts = ["span", "rows", "saving"].map((name) => new URL(`pictures/${name}.js`, document.currentScript.src).href);
  const scripts = ["vega.min.js", "vega-lite.min.js", "vega-embed.min.js"];
  const narrow = matchMedia("(max-width: 37.5em)");
  const live = []; // one { figure, stage, spec, view, span } for each drawn figure; a span is from and to, or null
  let [span, rows, saving] = []; // the modules of pictures/, once they are loaded
  let turn = Promise.resolve(); // redrawings wait for each other

  // Each script needs the one before it.
  function loadLibraries() {
    const loaded = scripts.reduce((before, name) => before.then(() => load(`vendor/${name}`)), Promise.resolve());
    return loaded.then(async () => ([span, rows, saving] = await Promise.all(parts.map((part) => import(part)))));
  }

  function isDark() {
    const scheme = document.body.getAttribute("data-md-color-scheme");
    return scheme ? scheme === "slate" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  // Puts the dark inks for the light ones, as the specification itself lists them, and leaves its data alone.
  function inked(part, inks) {
    if (typeof part === "string") return Object.hasOwn(inks, part) ? inks[part] : part;
    if (Array.isArray(part)) return part.map((each) => inked(each, inks));
    if (part === null || typeof part !== "object") return part;
    const keep = new Set(["data", "datasets", "usermeta"]);
    return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, keep.has(key) ? value : inked(value, inks)]));
  }

  // On a narrow screen a picture is laid out anew rather than shrunk, so that its words stay readable: the specification
  // has both layouts, of which the narrow one is for less than 600 pixels.
  function fitted(spec, room) {
    const layout = room < 600 ? spec.usermeta.narrow : {};
    return { ...spec, ...layout, width: Math.max(300, Math.min(spec.width, room)) };
  }

  // The specification of what is shown of a picture: all of it, or a stretch of time.
  const shown = (chart) => (chart.span ? span.within(chart.spec, chart.span) : chart.spec);

  async function redraw(chart) {
    const dark = isDark();
    const laid = fitted(rows.pointing(shown(chart)), chart.figure.parentElement.clientWidth);
    const spec = inked(laid, dark ? chart.spec.usermeta.dark : {});
    const options = { mode: "vega-lite", renderer: "svg", actions: false, logLevel: 1 };
    options.tooltip = { theme: dark ? "dark" : "light" };
    chart.view?.finalize();
    chart.view = await window.vegaEmbed(chart.stage, spec, options);
    rows.listen(chart, chart.view.view);
    // Its sentence is that of the stage; the groups inside are not read out one by one.
    const svg = chart.stage.querySelector("svg");
    svg.setAttribute("aria-hidden", "true");
    svg.insertAdjacentHTML("beforeend", chart.spec.usermeta.style);
  }

  async function enliven(figure) {
    const image = figure.querySelector("img");
    // MkDocs moves pages into folders and mends the image's address, so the specification is looked for beside the image.
    const address = new URL(figure.dataset.spec, image.src);
    if (address.origin !== location.origin) return;
    const answer = await fetch(address);
    if (!answer.ok) throw new Error(address + " answered " + answer.status);
    const spec = await answer.json();
    await loadLibraries();
    const stage = element("div", { className: "chart-live", role: "img", ariaLabel: image.alt });
    const chart = { figure, stage, spec, view: null, span: null };
    await redraw(chart);
    image.after(stage);
    figure.classList.add("is-live");
    live.push(chart);
    offer(chart);
  }

  function redrawLater(chart) {
    turn = turn.then(() => redraw(chart)).catch((error) => console.warn(error));
  }

  // What can be done with a picture stands between it and its caption.
  function offer(chart) {
    const tools = element("div", { className: "chart-tools" });
    const stretch = chart.spec.usermeta.time && span.offer(chart, () => redrawLater(chart));
    chart.stage.classList.toggle("has-time", Boolean(stretch));
    tools.append(...[stretch, rows.offer(chart), saving.offer(chart, shown)].filter(Boolean));
    const caption = chart.figure.querySelector("figcaption");
    if (caption) caption.before(tools);
    else chart.figure.append(tools);
    const button = chart.figure.querySelector(".chart-begin");
    if (document.activeElement === button) tools.querySelector("input, a, button").focus();
    button.remove();
  }

  function begin(figure) {
    if (figure.dataset.begun) return;
    figure.dataset.begun = "true";
    enliven(figure).catch((error) => console.warn("Picture not interactive:", error));
  }

  // For a keyboard: seen once it has the focus. That a page is tabbed through is no use of its pictures. Of a picture that
  // has time, whose specification is not read yet, its caption says that it can be dragged over.
  function addButton(figure) {
    const hasTime = /^(burn-up|timeline)\./.test(figure.dataset.spec);
    const words = hasTime ? "Use this picture, or a stretch of its time" : "Use this picture";
    const onclick = () => begin(figure);
    figure.prepend(element("button", { type: "button", className: "chart-begin", onclick }, words));
    if (!hasTime) return;
    const hint = "Drag over the picture to see a stretch of time alone.";
    figure.querySelector("figcaption")?.append(element("p", { className: "chart-hint", textContent: hint }));
  }

  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) if (isIntersecting && narrow.matches) begin(target);
  });

  function start() {
    if (location.protocol === "file:") return; // a page of a folder may read no other file
    for (const figure of document.querySelectorAll("figure.chart[data-spec]:not([data-begun])")) {
      figure.dataset.begun = "";
      figure.addEventListener("pointerenter", () => begin(figure), true);
      addButton(figure);
      seen.observe(figure);
    }
  }

  function redrawAll() {
    live.filter((chart) => chart.stage.isConnected).forEach(redrawLater);
  }

  new MutationObserver(redrawAll).observe(document.body, { attributeFilter: ["data-md-color-scheme"] });
  whenShown(start);
})();
