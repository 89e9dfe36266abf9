/* Light, dark or as the system says; remembered in this browser only.
   Loaded before the first paint, so that a page never flashes. */
(() => {
  "use strict";
  const KEY = "plumbline-theme";
  const root = document.documentElement;

  const remembered = () => {
    try {
      return localStorage.getItem(KEY) ?? "auto";
    } catch {
      return "auto"; // storage may be forbidden
    }
  };

  const apply = (theme) => {
    if (theme === "light" || theme === "dark") root.dataset.theme = theme;
    else delete root.dataset.theme;
  };

  apply(remembered());

  document.addEventListener("DOMContentLoaded", () => {
    const box = document.querySelector("[data-theme-switch]");
    if (!box) return;
    const buttons = [...box.querySelectorAll("button")];
    const mark = (theme) =>
      buttons.forEach((button) => button.setAttribute("aria-pressed", String(button.value === theme)));
    mark(remembered());
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Colours");
    box.hidden = false;
    box.addEventListener("click", (event) => {
      const theme = event.target.value;
      if (!theme) return;
      apply(theme);
      mark(theme);
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        /* the choice then lasts as long as the page */
      }
    });
  });
})();
