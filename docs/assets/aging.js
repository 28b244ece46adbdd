// Says how long ago a day was, or how soon it is: a page is made once, and read on any day.
(() => {
  const words = new Intl.RelativeTimeFormat("en");

  function start() {
    for (const time of document.querySelectorAll("article time[datetime]:not([title])")) {
      const days = Math.round((Date.parse(time.dateTime) - Date.now()) / 864e5);
      const months = Math.round(days / 30.4);
      time.title = Math.abs(days) < 60 ? words.format(days, "day") : words.format(months, "month");
      time.after(` (${time.title})`);
    }
  }

  globalThis.budgetPage.whenShown(start);
})();
