// A stretch of time of a picture: dragged over it with the pointer, or typed as two days; the picture shows it alone, and
// says what lies in it. Pictures that have time say so in their specification: `usermeta.time`, from and to in
// milliseconds of UTC.

const { element } = globalThis.budgetPage;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const MONDAY = 4 * DAY; // the first one of 1970
const MOST_TICKS = 6;
const STEPS = [...[1, 2, 3, 6, 12].map((hours) => [hours * HOUR, 0]), [DAY, 0], [2 * DAY, 0], [7 * DAY, MONDAY],
  [14 * DAY, MONDAY]];
const MONTHS = [1, 2, 3, 6, 12, 24, 60, 120, 240, 600, 1200, 6000, 24000];
const LEAST_DRAG = 6; // pixels: less is a click
const HINT = "Drag over the picture to see a stretch of time alone, or type its two days:";

const day = (at) => new Date(at).toISOString().slice(0, 10);
const start = (date) => Date.parse(`${date}T00:00Z`);

// Steps of hours, days or weeks where few of them are enough, else months: as `axes.py` has them.
function ticks(low, high) {
  for (const [step, origin] of STEPS) {
    const found = [];
    for (let at = Math.ceil((low - origin) / step) * step + origin; at <= high; at += step) found.push(at);
    if (found.length <= MOST_TICKS) return [found, step < DAY ? "hours" : "days"];
  }
  const [first, last] = [low, high].map((at) => new Date(at).getUTCFullYear());
  for (const step of MONTHS) {
    const found = [];
    for (let month = Math.ceil((first * 12) / step) * step; month < last * 12 + 12; month += step) {
      const at = new Date(0).setUTCFullYear(Math.floor(month / 12), month % 12, 1);
      if (low <= at && at <= high) found.push(at);
    }
    if (found.length <= MOST_TICKS) return [found, step < 12 ? "months" : "years"];
  }
  return [[], "years"];
}

// What stands at each tick, with a second line where its day or year is another than at the tick before.
function labels(found, by) {
  const words = (at, options) => new Intl.DateTimeFormat("en-GB", { timeZone: "UTC", ...options }).format(at);
  const short = { day: "numeric", month: "short" };
  const year = { year: "numeric" };
  const [upper, lower] = { hours: [{ hour: "2-digit", minute: "2-digit" }, { ...short, ...year }], days: [short, year],
    months: [{ month: "short" }, year], years: [year] }[by];
  let before = null;
  return Object.fromEntries(found.map((at) => {
    const [first, second] = [words(at, upper), lower && words(at, lower)];
    const both = lower && second !== before;
    before = second;
    return [at, both ? [first, second] : first];
  }));
}

// The specification with the axis of time from `low` to `high`. Lines and bars end there, other marks beyond go.
export function within(spec, [low, high]) {
  const [found, by] = ticks(low, high);
  const cut = structuredClone(spec);
  for (const layer of cut.layer) {
    const { x, x2 } = layer.encoding;
    if (JSON.stringify(x?.scale?.domain) !== JSON.stringify(spec.usermeta.time)) continue;
    x.scale.domain = [low, high];
    x.axis = { ...x.axis, values: found, labelExpr: `(${JSON.stringify(labels(found, by))})[datum.value]` };
    if (x2 || ["line", "area", "bar"].includes(layer.mark.type)) {
      layer.mark.clip = true;
    } else {
      const inside = `datum['${x.field}'] >= ${low} && datum['${x.field}'] <= ${high}`;
      layer.transform = [{ filter: inside }, ...(layer.transform ?? [])];
    }
  }
  return cut;
}

const rows = (spec) => Object.values(spec.datasets).flat();

// As the picture tells amounts under the pointer.
function rounded(amount) {
  const most = amount >= 100 ? { maximumFractionDigits: 0 } : amount >= 0.1 ? { maximumFractionDigits: 1 }
    : { maximumSignificantDigits: 2 };
  return amount.toLocaleString("en-US", most);
}

// The line of what was spent: a point is the total at the end of its day. The first is that before the first day, with
// what has no date.
const line = (spec) => rows(spec).filter((row) => row.item === "spent").sort((one, other) => one.at - other.at);

// The first and the last day of which something is recorded; null where nothing is. A bar ends where its day begins.
function recorded(spec) {
  if (spec.usermeta.unit) {
    const points = line(spec);
    return points.length > 1 ? [day(points[0].at + DAY), day(points.at(-1).at)] : null;
  }
  const runs = rows(spec).filter((row) => row.outcome !== undefined);
  if (!runs.length) return null;
  return [day(Math.min(...runs.map((row) => row.start))), day(Math.max(...runs.map((row) => row.end)) - 1)];
}

// What is told of a stretch: `said` as far as the data go, and how far that is where the stretch goes beyond.
function asFar(spec, first, last, said) {
  const known = recorded(spec);
  if (!known) return "no data";
  const [begin, end] = known;
  if (last < begin) return `no data; the data begin on ${begin}`;
  if (first > end) return `no data; the data go through ${end}`;
  return last > end ? `${said()}; the data go through ${end}` : said();
}

// What was charged from the beginning of one day to the end of another.
function charged(spec, first, last) {
  const points = line(spec);
  const before = points.findLast((row) => row.at < start(first)) ?? points[0];
  const after = points.findLast((row) => row.at <= start(last)) ?? points[0];
  const about = spec.usermeta.thinned ? "about " : "";
  return `${about}${rounded(Math.max(0, after.level - before.level))} ${spec.usermeta.unit} charged`;
}

function ran(spec, [low, high]) {
  const counts = new Map();
  for (const row of rows(spec)) {
    if (row.outcome === undefined || row.end <= low || row.start >= high) continue;
    counts.set(row.outcome, (counts.get(row.outcome) ?? 0) + row.runs);
  }
  const told = ["completed", "failed", "running"].filter((outcome) => counts.has(outcome));
  const said = told.map((outcome) => `${counts.get(outcome).toLocaleString("en-US")} ${outcome}`);
  return said.length ? `runs of the bars shown: ${said.join(", ")}` : "no run";
}

// The last moment that counts: a line has a point for the whole of its last day, a bar ends where its day begins.
const final = ({ usermeta: { time, unit } }) => (unit ? time[1] : time[1] - 1);

// From and to in days, as they are shown: never beyond the picture, and a whole day at least.
function cutTo([low, high], first, last) {
  return [Math.max(low, start(first)), Math.min(high, start(last) + DAY)];
}

// The fields for a stretch of time below a picture, and the pointer that drags over it.
export function offer(chart, draw) {
  const whole = chart.spec.usermeta.time;
  const [earliest, latest] = [day(whole[0]), day(final(chart.spec))];
  if (whole[1] - whole[0] < 2 * DAY) return null;
  const bounds = { type: "date", min: earliest, max: latest };
  const [from, to] = [element("input", bounds), element("input", bounds)];
  const all = element("button", { type: "button", textContent: "Whole time" });
  const told = element("output", {});
  const hint = element("p", { className: "chart-hint", id: `hint-${chart.figure.dataset.spec}` }, HINT);
  const form = element("form", { className: "chart-span", noValidate: true, ariaLabel: "A stretch of time" }, hint,
    element("label", {}, "From", from), element("label", {}, "to", to), all, told);
  from.setAttribute("aria-describedby", hint.id);

  function show(first, last, given = true) {
    if (first > last) return refuse(`${first} is after ${last}.`, from, to);
    const span = first === earliest && last === latest ? null : cutTo(whole, first, last);
    [from.value, to.value] = [first, last];
    accept();
    all.disabled = !span;
    if (span) {
      const said = () => (chart.spec.usermeta.unit ? charged(chart.spec, first, last) : ran(chart.spec, span));
      const stretch = first === last ? `On ${first}` : `From ${first} to ${last}`;
      told.textContent = `${stretch}: ${asFar(chart.spec, first, last, said)}`;
    }
    if (!given) return;
    chart.span = span;
    chart.days = span && [first, last];
    draw();
  }

  function accept() {
    told.className = told.textContent = "";
    for (const field of [from, to]) field.removeAttribute("aria-invalid");
  }

  function refuse(why, ...fields) {
    accept();
    told.className = "refused";
    told.textContent = why;
    for (const field of fields) field.setAttribute("aria-invalid", "true");
  }

  // In words of ours: those of a browser are in its own language.
  function wrong(field) {
    const at = field.valueAsNumber;
    if (Number.isNaN(at)) return "A day is missing or does not exist";
    if (at < start(earliest)) return `${field.value} is before the picture`;
    return at > start(latest) ? `${field.value} is after the picture` : "";
  }

  function typed() {
    const odd = [from, to].find(wrong);
    if (odd) refuse(`${wrong(odd)}: days from ${earliest} to ${latest} can be shown.`, odd);
    else show(from.value, to.value);
  }

  const reset = () => show(earliest, latest);
  for (const field of [from, to]) field.addEventListener("change", typed);
  all.addEventListener("click", reset);
  form.addEventListener("submit", (event) => event.preventDefault());
  chart.figure.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && chart.span && !chart.dragging) reset();
  });
  drag(chart, whole, (first, last) => {
    show(first, last);
    // So that Escape and Tab go on from here.
    (all.disabled ? from : all).focus({ preventScroll: true });
  });
  show(earliest, latest, false);
  return form;
}

// Where the plane of a picture stands on the screen: the ground that Vega lays below its marks.
const plane = (stage) => stage.querySelector(".role-frame.root .background").getBoundingClientRect();

function drag(chart, whole, done) {
  const { stage } = chart;
  const band = element("div", { className: "chart-band", hidden: true });
  let begun = null;

  function end() {
    begun = null;
    chart.dragging = false;
    band.hidden = true;
    band.remove();
  }

  const time = (ground, x) => {
    const [low, high] = chart.span ?? whole;
    const share = Math.min(1, Math.max(0, (x - ground.left) / ground.width));
    return Math.min(high === whole[1] ? final(chart.spec) : high - 1, low + share * (high - low));
  };

  stage.addEventListener("pointerdown", (event) => {
    const ground = plane(stage);
    const inside = event.clientX >= ground.left && event.clientX <= ground.right && event.clientY >= ground.top &&
      event.clientY <= ground.bottom;
    if (event.button || !inside) return;
    begun = { x: event.clientX, ground, pointer: event.pointerId };
    chart.dragged = false;
  });
  stage.addEventListener("pointermove", (event) => {
    if (!begun || (!chart.dragging && Math.abs(event.clientX - begun.x) < LEAST_DRAG)) return;
    if (!chart.dragging) {
      stage.setPointerCapture(begun.pointer);
      stage.append(band);
      chart.dragging = chart.dragged = true;
    }
    const { ground } = begun;
    const over = stage.getBoundingClientRect();
    const [left, right] = [begun.x, Math.min(ground.right, Math.max(ground.left, event.clientX))].sort((a, b) => a - b);
    const sides = { left: left - over.left, top: ground.top - over.top, width: right - left, height: ground.height };
    for (const [side, pixels] of Object.entries(sides)) band.style[side] = `${pixels}px`;
    band.hidden = false;
  });
  stage.addEventListener("pointerup", (event) => {
    if (!begun) return;
    const { ground, x } = begun;
    const ended = chart.dragging;
    end();
    if (ended) done(...[x, event.clientX].sort((a, b) => a - b).map((at) => day(time(ground, at))));
  });
  stage.addEventListener("pointercancel", end);
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && begun) end();
  });
}
