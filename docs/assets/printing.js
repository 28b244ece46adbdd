// What is printed says at the top of each page what it is of, and the day of its data where the page begins with one; at
// the foot where it was read. Without this, sheets have
// numbers alone; whatever a title has in it becomes a text of the style, and never a part of it.

(() => {
  const LONGEST = 90;

  // As a text of CSS: each character that could end it, or begin an escape, as its number.
  function quoted(text) {
    const whole = text.replace(/\s+/g, " ").trim();
    const short = whole.length > LONGEST ? `${whole.slice(0, LONGEST - 1)}…` : whole;
    return `"${short.replace(/["\\<\p{Cc}]/gu, (sign) => `\\${sign.codePointAt(0).toString(16)} `)}"`;
  }

  function box(place, text) {
    return `@${place} { content: ${quoted(text)}; color: #555; font: 7.5pt Georgia, "Times New Roman", "Noto Serif", serif; }`;
  }

  function head() {
    const title = document.querySelector("article h1")?.firstChild?.textContent ?? document.title;
    const site = document.querySelector(".md-header__topic")?.textContent ?? "";
    const day = document.querySelector("article h1 + p .day");
    const from = day ? `${site} · as of ${day.textContent}` : site;
    const style = document.getElementById("printed-head") ?? document.createElement("style");
    style.id = "printed-head";
    style.media = "print";
    const address = `${location.host}${decodeURI(location.pathname)}`;
    style.textContent = `@page { ${box("top-left", from)} ${box("top-right", title)} ${box("bottom-left", address)} }`;
    document.head.append(style);
  }

  addEventListener("beforeprint", head);
})();
