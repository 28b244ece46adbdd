// Shows the derivation of a figure where the figure stands: its row of the derivations page, with the formula, the numbers
// put in, the ledger lines, and its address to copy. The page is read once, from this site. It is loaded when a figure
// is pressed (tracing.js).
(() => {
  "use strict";

  const { element } = globalThis.budgetPage;
  const pages = new Map(); // the derivations pages that were read, by their addresses
  let opened = null; // the popover, the figure that it was opened at, and the addresses that were looked at in it

  function page(address) {
    if (!pages.has(address)) {
      const read = fetch(address).then((answer) => {
        if (!answer.ok) throw new Error(`${address} answered ${answer.status}`);
        return answer.text();
      });
      pages.set(address, read.then((text) => new DOMParser().parseFromString(text, "text/html")));
    }
    return pages.get(address);
  }

  // The row of a figure as the parts of a popover; its links lead where they led.
  async function parts(link) {
    const url = new URL(link);
    const id = decodeURIComponent(url.hash.slice(1));
    url.hash = "";
    const row = (await page(url.href)).getElementById(id)?.closest("tr");
    if (!row) throw new Error(`${link} has no row`);
    return [...row.cells].map((cell, number) => {
      const part = element("div", { className: number ? "derivation-how" : "derivation-what" });
      part.append(...document.importNode(cell, true).childNodes);
      for (const anchor of part.querySelectorAll("[id]")) anchor.removeAttribute("id");
      for (const inner of part.querySelectorAll("a[href]")) inner.href = new URL(inner.getAttribute("href"), url).href;
      return part;
    });
  }

  async function copy(text, button) {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = element("textarea", { value: text }); // a page without https has no clipboard
      button.after(field);
      field.select();
      document.execCommand("copy");
      field.remove();
      button.focus();
    }
    button.textContent = "Copied";
  }

  function popover() {
    if (opened) return opened;
    const box = element("div", { popover: "auto", id: "figure-derivation", className: "md-typeset", tabIndex: -1, role: "dialog" });
    box.ariaLabel = "How this figure is calculated";
    document.body.append(box);
    opened = { box, seen: [], figure: null };
    return opened;
  }

  function place(box, at) {
    const room = document.documentElement.clientWidth;
    const { offsetWidth: width, offsetHeight: height } = box;
    const below = at.bottom + 6 + height <= innerHeight || at.top - 6 - height < 0;
    box.style.left = `${scrollX + Math.max(8, Math.min(at.left, room - width - 8))}px`;
    box.style.top = `${scrollY + (below ? at.bottom + 6 : at.top - 6 - height)}px`;
  }

  function fill(box, seen, inside) {
    const link = seen.at(-1);
    const address = decodeURIComponent(new URL(link).hash.slice(1));
    const tools = element("div", { className: "derivation-tools" });
    const whole = element("a", { href: link }, "Open its page");
    whole.dataset.whole = "";
    const copies = element("button", { type: "button" }, "Copy address");
    copies.addEventListener("click", () => copy(address, copies));
    if (seen.length > 1) {
      const onclick = () => {
        seen.pop();
        open(seen.pop(), box);
      };
      tools.append(element("button", { type: "button", onclick }, "Back"));
    }
    const close = element("button", { type: "button", onclick: () => box.hidePopover() }, "Close");
    tools.append(whole, copies, close);
    box.replaceChildren(...inside, tools);
  }

  async function open(link, from) {
    const shown = popover();
    const { box, seen } = shown;
    const within = box.contains(from);
    try {
      const inside = await parts(link);
      if (!within) seen.length = 0;
      seen.push(link);
      fill(box, seen, inside);
      if (!within) {
        shown.figure = from;
        box.showPopover();
      }
      place(box, shown.figure.getBoundingClientRect()); // what is shown next may be wider or higher
      box.focus({ preventScroll: !within });
    } catch (error) {
      console.info("A derivation opens on its page:", error.message);
      location.href = link;
    }
  }

  globalThis.budgetPage.openDerivation = open;
})();
