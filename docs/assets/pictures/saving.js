// A picture as a file that stands alone: as wide as the page's image, in the colours of a light page on a white ground,
// with title and description, its words as text in whatever letters the reader has. Of a stretch of time, only that.

const { element } = globalThis.budgetPage;
const SPACE = "http://www.w3.org/2000/svg";

// Without what only answers to the pointer.
function still(spec) {
  return { ...spec, params: spec.params.slice(0, 1), layer: spec.layer.filter((layer) => layer.name !== "hover") };
}

async function drawing(spec, days) {
  const { spec: compiled } = window.vegaLite.compile({ ...still(spec), background: "#ffffff" });
  const view = new window.vega.View(window.vega.parse(compiled), { renderer: "none", logLevel: 1 });
  const root = new DOMParser().parseFromString(await view.toSVG(), "image/svg+xml").documentElement;
  view.finalize();
  const part = days ? ` Shown from ${days.join(" to ")}.` : "";
  const words = { title: [spec.title.text].flat().join(" "), desc: spec.description + part };
  for (const [name, text] of Object.entries(words).reverse()) {
    const said = document.createElementNS(SPACE, name);
    said.textContent = text;
    root.prepend(said);
  }
  root.insertAdjacentHTML("beforeend", spec.usermeta.style);
  root.setAttribute("role", "img");
  return `${new XMLSerializer().serializeToString(root)}\n`;
}

async function save(chart, shown) {
  const blob = new Blob([await drawing(shown(chart), chart.days)], { type: "image/svg+xml" });
  const name = chart.figure.dataset.spec.split("/").pop().replace(/\.vl\.json$/, "");
  const href = URL.createObjectURL(blob);
  element("a", { href, download: `${[name, ...(chart.days ?? [])].join("-")}.svg` }).click();
  setTimeout(() => URL.revokeObjectURL(href), 60_000);
}

export function offer(chart, shown) {
  const onclick = () => save(chart, shown).catch((error) => console.warn("Not saved:", error));
  return element("button", { type: "button", className: "chart-save", onclick }, "Save as SVG");
}
