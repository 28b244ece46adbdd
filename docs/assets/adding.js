// Gives a run that is added from a page today's date, and its file a name that nobody else's has.
//
// A page is made once and read by many, so its link *Add a run* can name neither. When it is followed, both are put into
// its address: the forge's page for a new file then opens with them. Nothing is sent anywhere, and without scripts the
// link opens the same page, where a person chooses the name: any name is read.
(function () {
  "use strict";

  const day = "YYYY-MM-DD"; // as it stands in the entry of the link
  const made = new WeakMap(); // the address that each link was made with

  function today() {
    const now = new Date();
    return [now.getFullYear(), now.getMonth() + 1, now.getDate()].map((part) => String(part).padStart(2, "0")).join("-");
  }

  function shortId() {
    return [...crypto.getRandomValues(new Uint8Array(3))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  // GitHub takes the folder with the name of the file, GitLab in the path; the title of the link is the folder.
  function named(address, folder) {
    const [path, query] = address.replace(day, today()).split("?");
    const name = `${today()}-${shortId()}.yaml`;
    if (path.includes("/-/new/")) return `${path}?file_name=${name}&${query}`;
    const inside = `/${folder.slice(0, -1)}`;
    if (!folder || !path.endsWith(inside)) return `${path}?${query}`;
    return `${path.slice(0, -inside.length)}?filename=${encodeURIComponent(folder + name)}&${query}`;
  }

  function follow(event) {
    const link = event.target.closest?.("a[href]");
    if (link?.href.includes(`date%3A%20${day}`)) made.set(link, link.href);
    if (made.has(link)) link.href = named(made.get(link), link.title);
  }

  // A wheel opens another tab, a menu copies the address: each time the file is another one.
  for (const kind of ["click", "auxclick", "contextmenu"]) document.addEventListener(kind, follow, true);
})();
