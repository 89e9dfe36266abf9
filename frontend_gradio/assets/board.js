// The pages' behaviour: asking for a view, keeping it in the address, colours.
"use strict";

window.Plumbline = (() => {
  const PATIENCE_MS = 20000;
  const OURS = ["sort", "dir", "q", "p"]; // kept by the table, not by the server

  const esc = (text) =>
    String(text ?? "").replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
  const read = () => new URLSearchParams(location.search);

  function write(change) {
    const query = read();
    change(query);
    const text = query.toString();
    history.replaceState(history.state, "", location.pathname + (text ? `?${text}` : ""));
  }

  function remember(pairs) {
    write((query) => {
      for (const [key, value] of Object.entries(pairs)) {
        if (value) query.set(key, value);
        else query.delete(key);
      }
    });
  }

  // Draw markup that the server made and escaped; the focus stays where it was.
  function draw(element, html) {
    const active = document.activeElement;
    const id = element.contains(active) ? active.id : "";
    element.innerHTML = html;
    if (id) document.getElementById(id)?.focus({ preventScroll: true });
  }

  // --- Colours: as the portal's own pages remember them ----------------------

  const THEME_KEY = "plumbline-theme";

  function theme() {
    try {
      return localStorage.getItem(THEME_KEY) ?? "auto";
    } catch {
      return "auto"; // storage may be forbidden
    }
  }

  function paint(chosen) {
    const root = document.documentElement;
    if (chosen === "light" || chosen === "dark") root.dataset.theme = chosen;
    else delete root.dataset.theme;
    const isDark =
      chosen === "dark" ||
      (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
    if (document.body && document.body.classList.contains("dark") !== isDark)
      document.body.classList.toggle("dark", isDark);
    for (const button of document.querySelectorAll(".b-theme button"))
      button.setAttribute("aria-pressed", String(button.value === chosen));
  }

  let chosenTheme = theme();
  paint(chosenTheme);
  document.addEventListener("DOMContentLoaded", () => {
    // Gradio sets its own class when it starts and when the system changes.
    new MutationObserver(() => paint(chosenTheme)).observe(document.body, {
      attributes: true,
      attributeFilter: ["class"],
    });
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest?.(".b-theme button");
    if (!button) return;
    chosenTheme = button.value;
    paint(chosenTheme);
    try {
      localStorage.setItem(THEME_KEY, chosenTheme);
    } catch {
      /* the choice then lasts as long as the page */
    }
  });

  // --- One part of a page: markup, and nothing to do ------------------------

  function part(element, props, watch) {
    const show = () => {
      draw(element, props.value?.html ?? "");
      const figure = document.getElementById("figure");
      if (figure && element.querySelector("#figure-words")) {
        figure.setAttribute("role", "img");
        figure.setAttribute("aria-labelledby", "figure-words"); // Gradio clears an aria-label
      }
    };
    watch("value", show);
    show();
  }

  // --- The head of a page: it asks for views and keeps their address ---------

  function page(element, props, trigger, watch) {
    let clock = 0;
    let turn = 0;

    const ask = (query) => {
      clearInterval(clock);
      turn += 1;
      const mine = turn;
      document.body.setAttribute("aria-busy", "true");
      setTimeout(() => mine === turn && silence(query), PATIENCE_MS);
      trigger("submit", { query, turn: String(mine) });
    };

    const silence = (query) => {
      document.body.removeAttribute("aria-busy");
      draw(
        element,
        '<div class="b-trouble" role="alert"><h1>The board does not answer</h1>' +
          "<p>The connection may be down, or the site is restarting.</p>" +
          '<p><button type="button" class="pl-button" data-again>Ask again</button></p></div>',
      );
      element.querySelector("[data-again]").addEventListener("click", () => ask(query));
    };

    const wait = (seconds) => {
      const note = element.querySelector("[data-retry]");
      let left = seconds;
      clock = setInterval(() => {
        left -= 1;
        if (note) note.textContent = left > 0 ? `Asking again in ${left} s.` : "Asking again …";
        if (left <= 0) ask(location.search);
      }, 1000);
    };

    const show = () => {
      const value = props.value ?? {};
      if (!value.query) return; // the first paint, before anything was asked
      turn += 1;
      document.body.removeAttribute("aria-busy");
      draw(element, value.html);
      if (value.title) document.title = value.title;
      if (value.retry) {
        wait(value.retry);
        return;
      }
      if (value.failed) return;
      write((query) => {
        for (const key of [...query.keys()]) if (!OURS.includes(key)) query.delete(key);
        for (const [key, said] of Object.entries(value.query)) query.set(key, said);
      });
    };

    document.addEventListener("change", (event) => {
      const form = event.target.form;
      if (form?.id === "view") ask(new URLSearchParams(new FormData(form)).toString());
    });
    document.addEventListener("submit", (event) => event.preventDefault());
    element.addEventListener("click", (event) => {
      const link = event.target.closest("a[data-ask]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
      event.preventDefault();
      ask(new URL(link.href).search);
    });
    element.addEventListener("keydown", (event) => {
      const tab = event.target.closest('[role="tab"]');
      if (!tab) return;
      const tabs = [...tab.parentElement.querySelectorAll('[role="tab"]')];
      const steps = { ArrowRight: 1, ArrowLeft: -1 };
      const ends = { Home: 0, End: tabs.length - 1 };
      let to = null;
      if (event.key in steps)
        to = (tabs.indexOf(tab) + steps[event.key] + tabs.length) % tabs.length;
      else if (event.key in ends) to = ends[event.key];
      else if (event.key === " ") tab.click();
      else return;
      event.preventDefault();
      if (to !== null) tabs[to].focus();
    });

    watch("value", show);
    draw(element, props.value?.html ?? "");
    ask(location.search);
  }

  // The switch stands in the footer, which is drawn after this script ran.
  const colours = () => paint(chosenTheme);

  return { page, part, colours, draw, esc, read, remember };
})();
