/* Keeps one part of a page fresh: asks the server for its markup again and
   again, ever more slowly while nothing moves, and stops when it is settled. */
const FIRST_MS = 600;
const LONGEST_MS = 8000;
const GROWTH = 1.35;

function follow(region) {
  const status = document.querySelector("[data-live-status]");
  let wait = FIRST_MS;
  let shown = null;

  const say = (text) => {
    if (status && text && status.textContent !== text) status.textContent = text;
  };

  // A form's token is new in every answer and says nothing.
  const essence = (markup) => markup.replace(/(csrfmiddlewaretoken" value=")[^"]*/g, "$1");

  const show = (markup) => {
    if (essence(markup) === shown) return false;
    const focused = region.contains(document.activeElement) ? document.activeElement.id : "";
    const open = new Set([...region.querySelectorAll("details[open]")].map((item) => item.id));
    // The markup is the server's own template, escaped there.
    region.innerHTML = markup;
    region.querySelectorAll("details").forEach((item) => {
      item.open ||= open.has(item.id);
    });
    if (focused) document.getElementById(focused)?.focus();
    const isFirst = shown === null;
    shown = essence(markup);
    say(region.querySelector("[data-announce]")?.dataset.announce);
    return !isFirst;
  };

  const ask = async () => {
    if (document.hidden) {
      document.addEventListener("visibilitychange", ask, { once: true });
      return;
    }
    try {
      const answer = await fetch(region.dataset.live, {
        headers: { "X-Requested-With": "live" },
        credentials: "same-origin",
        redirect: "error",
      });
      if (answer.status === 404 || answer.status === 403) {
        location.reload();
        return;
      }
      if (!answer.ok) throw new Error(String(answer.status));
      wait = show(await answer.text()) ? FIRST_MS : Math.min(wait * GROWTH, LONGEST_MS);
      region.removeAttribute("data-stale");
      if (answer.headers.get("X-Settled") === "yes") return;
    } catch {
      wait = Math.min(wait * 2, LONGEST_MS);
      region.setAttribute("data-stale", "");
      say("The server does not answer at the moment. This page keeps trying.");
    }
    setTimeout(ask, wait);
  };

  setTimeout(ask, wait);
}

document.querySelectorAll("[data-live]").forEach(follow);
