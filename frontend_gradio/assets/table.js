// The leaderboard: sorting, searching, turning pages. Every text that comes from
// the API passes through esc(); numbers place the interval bars.
"use strict";

window.Plumbline.table = (() => {
  const PAGE_ROWS = 200;
  const { draw, esc, read, remember } = window.Plumbline;

  return function table(element, props, watch) {
    let order = null; // {column, down}
    let needle = "";
    let leaf = 0;

    let content = {};

    const data = () => content;
    const columnAt = (slug) => data().columns.findIndex((column) => column.slug === slug);
    const isSystem = () => order.column === "system";
    const rankColumn = () => columnAt(isSystem() ? data().sort : order.column);

    function restore() {
      const query = read();
      const asked = query.get("sort");
      const known = asked === "system" || columnAt(asked) >= 0;
      const column = known ? asked : data().sort;
      const natural = column === "system" ? false : Boolean(data().columns[columnAt(column)].down);
      const said = known ? query.get("dir") : null;
      order = { column, down: said ? said === "desc" : natural };
      needle = query.get("q") ?? "";
      leaf = Math.max(0, (parseInt(query.get("p"), 10) || 1) - 1);
    }

    function keep() {
      const first = order.column === data().sort;
      const at = columnAt(order.column);
      const natural = at < 0 ? false : Boolean(data().columns[at].down);
      const plain = order.down === natural;
      remember({
        sort: first && plain ? "" : order.column,
        dir: plain ? "" : order.down ? "desc" : "asc",
        q: needle.trim(),
        p: leaf ? String(leaf + 1) : "",
      });
    }

    function found() {
      const words = needle.trim().toLowerCase().split(/\s+/).filter(Boolean);
      return data().rows.filter((row) => {
        const text = `${row.name} ${row.sub} ${row.badge[1]}`.toLowerCase();
        return words.every((word) => text.includes(word));
      });
    }

    function sorted(rows) {
      const sign = order.down ? -1 : 1;
      if (isSystem()) {
        const byName = (a, b) => a.name.localeCompare(b.name, "en", { numeric: true });
        return [...rows].sort((a, b) => sign * byName(a, b));
      }
      const at = columnAt(order.column);
      return [...rows].sort((a, b) => {
        const [x, y] = [a.cells[at].v, b.cells[at].v];
        if (x === null || y === null) return (x === null) - (y === null); // holes last, always
        return sign * (x - y);
      });
    }

    const sortButton = (slug, title, help) =>
      `<button type="button" id="sort-${esc(slug)}" data-sort="${esc(slug)}"` +
      `${help ? ` title="${esc(help)}"` : ""}>${esc(title)}` +
      '<span class="b-arrow" aria-hidden="true"></span></button>';

    function skeleton() {
      const { columns, tab, caption, captionHtml } = data();
      draw(
        element,
        `<div id="panel" role="tabpanel" aria-labelledby="${esc(tab)}">` +
          '<div class="b-tools"><div class="b-field b-find"><label for="find">Find a system</label>' +
          `<input id="find" type="search" class="pl-input" value="${esc(needle)}" ` +
          'autocomplete="off" spellcheck="false" aria-controls="board"></div>' +
          `<div class="b-count" role="status" aria-live="polite"></div>${data().files}</div>` +
          `<div class="b-region" role="region" tabindex="0" aria-label="${esc(caption)}">` +
          `<table class="pl-table b-table" id="board"><caption><span class="b-caption">${captionHtml}</span></caption>` +
          '<thead><tr><th scope="col" class="b-rank">Rank<span class="b-by"></span></th>' +
          `<th scope="col" class="b-system" data-column="system">${sortButton("system", "System")}</th>` +
          columns
            .map(
              (c) =>
                `<th scope="col" class="b-value" data-column="${esc(c.slug)}">` +
                `${sortButton(c.slug, c.short, `${c.title}. ${c.help}`)}</th>`,
            )
            .join("") +
          "</tr></thead><tbody></tbody></table></div>" +
          '<nav class="b-pages" aria-label="Pages of the table" hidden>' +
          '<button type="button" class="pl-button pl-button--quiet" data-turn="-1">Back</button>' +
          '<span></span><button type="button" class="pl-button pl-button--quiet" data-turn="1">' +
          "Next</button></nav></div>",
      );
    }

    function bar(cell) {
      if (!cell.m) return "";
      const [low, value, high] = cell.m.map(Number);
      return (
        '<span class="b-bar" aria-hidden="true">' +
        `<i style="left:${low}%;width:${Math.max(0, high - low)}%"></i>` +
        `<b style="left:${value}%"></b></span>`
      );
    }

    function valueCell(cell, isSorted) {
      const shade = isSorted ? " b-sorted" : "";
      if (cell.v === null)
        return (
          `<td class="b-value b-hole${shade}" title="${esc(cell.w)}"><span aria-hidden="true">` +
          `${esc(cell.t)}</span><span class="b-hidden">no value: ${esc(cell.w)}</span></td>`
        );
      const groups = cell.g ? `Best in: ${cell.g.join(", ")}` : "";
      let text = esc(cell.t);
      if (groups)
        text = `<span class="b-best-group" title="${esc(groups)}">${text}</span>`;
      if (cell.b) text = `<strong>${text}</strong>`;
      const says = cell.b ? "best in column" : groups;
      const interval = cell.i
        ? `<span class="b-interval"${cell.w ? ` title="${esc(cell.w)}"` : ""}>${esc(cell.i)}</span>`
        : "";
      return (
        `<td class="b-value${shade}">${text}` +
        `${says ? `<span class="b-hidden"> (${esc(says)})</span>` : ""}${interval}${bar(cell)}</td>`
      );
    }

    // "≈" stands on the line between two neighbours that cannot be told apart;
    // where something else stands between them, beside the rank.
    function rankCell(row, next, previous) {
      const cell = row.cells[rankColumn()];
      if (!cell.r) {
        const why = row.measured ? cell.w || "no value" : "not ranked: not scored here";
        return `<td class="b-rank b-hole" title="${esc(why)}"><span aria-hidden="true">–</span><span class="b-hidden">${esc(why)}</span></td>`;
      }
      let mark = "";
      if (cell.u) {
        const [slug, name] = cell.u;
        const side = next?.slug === slug ? " b-below" : previous?.slug === slug ? " b-above" : "";
        const words = `not resolved from the next rank, ${name}`;
        mark =
          `<span class="b-unresolved${isSystem() ? "" : side}" title="${esc(words)}">` +
          `<span aria-hidden="true">≈</span><span class="b-hidden">${esc(words)}</span></span>`;
      }
      const interval = cell.p
        ? `<span class="b-interval"><span class="b-hidden">rank interval </span>${esc(cell.p)}</span>`
        : "";
      return `<td class="b-rank">${mark}${esc(cell.r)}${interval}</td>`;
    }

    function body(rows) {
      const at = isSystem() ? -1 : columnAt(order.column);
      return rows
        .map((row, place) => {
          const [kind, word, meaning] = row.badge;
          const about = row.sub ? `<span class="b-sub"><bdi>${esc(row.sub)}</bdi></span>` : "";
          return (
            `<tr data-system="${esc(row.slug)}" class="b-${esc(row.kind)}">` +
            rankCell(row, rows[place + 1], rows[place - 1]) +
            `<th scope="row" class="b-system"><a href="${esc(row.href)}"><bdi>${esc(row.name)}</bdi></a>` +
            `<span class="b-about"><span class="b-badge b-badge--${esc(kind)}" title="${esc(meaning)}">` +
            `${esc(word)}</span>${about}</span></th>` +
            row.cells.map((cell, i) => valueCell(cell, i === at)).join("") +
            "</tr>"
          );
        })
        .join("");
    }

    function count(shown, from, to) {
      const all = data().rows.length;
      const systems = (n) => `${n.toLocaleString("en")} ${n === 1 ? "system" : "systems"}`;
      let text = shown === all ? systems(all) : `${shown.toLocaleString("en")} of ${systems(all)}`;
      if (shown > PAGE_ROWS) text += `, ${from + 1}–${to} shown`;
      return text;
    }

    function rows() {
      const all = sorted(found());
      const last = Math.max(0, Math.ceil(all.length / PAGE_ROWS) - 1);
      leaf = Math.min(leaf, last);
      const from = leaf * PAGE_ROWS;
      const shown = all.slice(from, from + PAGE_ROWS);
      const span = data().columns.length + 2;
      element.querySelector("tbody").innerHTML =
        body(shown) || `<tr><td class="b-empty" colspan="${span}">${esc(empty())}</td></tr>`;
      element.querySelector(".b-count").textContent = count(all.length, from, from + shown.length);
      element.querySelector(".b-region").classList.toggle("b-long", shown.length > 60);
      for (const head of element.querySelectorAll("th[data-column]")) {
        const mine = head.dataset.column === order.column;
        const sense = order.down ? "descending" : "ascending";
        head.setAttribute("aria-sort", mine ? sense : "none");
        head.classList.toggle("b-sorted", mine);
      }
      element.querySelector(".b-by").textContent = data().columns[rankColumn()].short;
      const pages = element.querySelector(".b-pages");
      pages.hidden = last === 0;
      pages.querySelector("span").textContent = `Page ${leaf + 1} of ${last + 1}`;
      pages.querySelector('[data-turn="-1"]').disabled = leaf === 0;
      pages.querySelector('[data-turn="1"]').disabled = leaf === last;
    }

    const empty = () =>
      needle.trim() && data().rows.length ? "No system matches this search." : data().empty;

    function show() {
      content = typeof props.value === "string" ? JSON.parse(props.value) : {};
      if (!content.columns) {
        element.innerHTML = "";
        return;
      }
      restore();
      skeleton();
      rows();
    }

    element.addEventListener("input", (event) => {
      if (event.target.id !== "find") return;
      needle = event.target.value;
      leaf = 0;
      keep();
      rows();
    });
    element.addEventListener("click", (event) => {
      const turn = event.target.closest("[data-turn]");
      if (turn) {
        leaf += Number(turn.dataset.turn);
        keep();
        rows();
        element.querySelector(".b-region").scrollTo({ top: 0 });
        element.scrollIntoView();
        return;
      }
      const button = event.target.closest("[data-sort]");
      if (!button) return;
      const column = button.dataset.sort;
      const at = columnAt(column);
      const natural = at < 0 ? false : Boolean(data().columns[at].down);
      order = { column, down: order.column === column ? !order.down : natural };
      leaf = 0;
      keep();
      rows();
    });

    watch("value", show);
    show();
  };
})();
