// From a phase of a picture to its runs: a click on its bars or their names leads to the page of all runs, and so do links
// below the picture. Pictures that have phases with runs say so in their specification: `usermeta.phases`, by the key of
// their rows. The status page of a site knows where its page of all runs is.

const { element } = globalThis.budgetPage;
const place = () => document.querySelector(".to-all-runs a")?.href;

function leading(phase) {
  const address = new URL(place());
  address.hash = new URLSearchParams({ phase });
  return address.href;
}

// The phase of what a mark, a name at the axis or a heading stands for.
function phaseOf(phases, datum) {
  const named = phases[datum?.key ?? datum?.value];
  return named ?? Object.values(phases).find((phase) => phase === datum?.heading);
}

// Marks that lead somewhere show a hand.
export function pointing(spec) {
  if (!spec.usermeta.phases || !place()) return spec;
  const shown = structuredClone(spec);
  for (const layer of shown.layer) if (layer.mark.type === "bar") layer.mark.cursor = "pointer";
  return shown;
}

export function listen(chart, view) {
  const phases = chart.spec.usermeta.phases;
  if (!phases || !place()) return;
  view.addEventListener("click", (_, item) => {
    const phase = phaseOf(phases, item?.datum);
    if (phase && !chart.dragged) location.assign(leading(phase));
  });
}

export function offer(chart) {
  const phases = [...new Set(Object.values(chart.spec.usermeta.phases ?? {}))];
  if (!phases.length || !place()) return null;
  const list = element("p", { className: "chart-rows" }, "All runs of ");
  phases.forEach((phase, number) => {
    const link = element("a", { href: leading(phase) }, phase);
    list.append(...(number ? [" · "] : []), link);
  });
  return list;
}
