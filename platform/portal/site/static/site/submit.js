/* The submit page: the track's own example, the size checked before sending, a
   file dropped, the upload with its progress. Without this script the form
   posts itself and the server does the rest. */
const form = document.getElementById("submit");
const chooser = document.querySelector("[data-choose]");

if (chooser) {
  chooser.querySelector("button").hidden = true;
  chooser.querySelector("select").addEventListener("change", () => chooser.requestSubmit());
}

if (form) {
  showOneTrack();
  showNewSystem();
  renewKey();
  const file = watchFile();
  send(file);
}

/* Choices ------------------------------------------------------------------ */

function showOneTrack() {
  const blocks = [...document.querySelectorAll("section[data-track]")];
  const show = () => {
    const track = form.elements.track.value;
    blocks.forEach((block, index) => {
      block.hidden = track ? block.dataset.track !== track : index > 0;
    });
  };
  form.addEventListener("change", show);
  show();
}

function showNewSystem() {
  const choice = form.elements.system_choice;
  if (!choice) return;
  const part = form.querySelector("[data-new-system]");
  const show = () => {
    part.hidden = choice.value !== "";
    form.elements.system_name.required = choice.value === "";
  };
  choice.addEventListener("change", show);
  show();
}

/* The key makes a double click one submission; other content is another one. */
function renewKey() {
  form.addEventListener("change", () => {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    form.elements.idempotency_key.value = [...bytes]
      .map((byte) => byte.toString(16).padStart(2, "0"))
      .join("");
  });
}

/* The file ----------------------------------------------------------------- */

function size(bytes) {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  let unit = 0;
  while (bytes >= 1024 && unit < units.length - 1) {
    bytes /= 1024;
    unit += 1;
  }
  return `${unit === 0 ? bytes : bytes.toFixed(1).replace(".0", "")} ${units[unit]}`;
}

async function faultOf(file) {
  const most = Number(form.dataset.maxBytes);
  if (file.size === 0) return "The file is empty.";
  if (file.size > most) return `The file has ${size(file.size)}; at most ${size(most)} are taken.`;
  const head = new Uint8Array(await file.slice(0, 4).arrayBuffer());
  const starts = (...bytes) => bytes.every((byte, index) => head[index] === byte);
  if (starts(0x50, 0x4b, 0x03, 0x04))
    return "This is a zip archive or a spreadsheet. Send the answers as JSON or JSON Lines.";
  if (starts(0x1f, 0x8b)) return "This is a gzip archive. Send the JSON inside it.";
  return "";
}

function watchFile() {
  const input = form.elements.file;
  const drop = form.querySelector("[data-drop]");
  const said = form.querySelector("[data-file-said]");
  const state = { fault: "" };

  const look = async () => {
    const [chosen] = input.files;
    state.fault = chosen ? await faultOf(chosen) : "";
    said.textContent = chosen ? state.fault || `${chosen.name}, ${size(chosen.size)}` : "";
    said.classList.toggle("pl-bad", state.fault !== "");
    input.setAttribute("aria-invalid", String(state.fault !== ""));
  };
  input.addEventListener("change", look);

  drop.querySelector("[data-drop-hint]").hidden = false;
  const over = (is) => (event) => {
    event.preventDefault();
    drop.classList.toggle("drop--over", is);
  };
  drop.addEventListener("dragenter", over(true));
  drop.addEventListener("dragover", over(true));
  drop.addEventListener("dragleave", over(false));
  drop.addEventListener("drop", (event) => {
    over(false)(event);
    if (event.dataTransfer.files.length === 0) return;
    const one = new DataTransfer();
    one.items.add(event.dataTransfer.files[0]);
    input.files = one.files;
    look();
  });
  look();
  return { input, look, state };
}

/* Sending ------------------------------------------------------------------ */

function fields() {
  const data = new FormData();
  const values = form.elements;
  const existing = values.system_choice?.value ?? "";
  data.append("benchmark", values.benchmark.value);
  data.append("track", values.track.value);
  data.append("system", existing || values.system_name.value.trim());
  data.append("publish", String(values.publish.checked));
  if (!existing) {
    const stated = [...form.querySelectorAll("[data-facet]")]
      .map((input) => [input.dataset.facet, input.value.trim()])
      .filter(([, value]) => value !== "");
    if (stated.length > 0) data.append("facets", JSON.stringify(Object.fromEntries(stated)));
  }
  data.append("file", values.file.files[0]);
  return data;
}

function send(file) {
  const button = form.querySelector("[data-send]");
  const upload = form.querySelector("[data-upload]");
  const bar = upload.querySelector("progress");
  const said = upload.querySelector("[data-upload-said]");

  const busy = (is) => {
    button.disabled = is;
    upload.hidden = !is;
    form.setAttribute("aria-busy", String(is));
  };

  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    hideRefusal();
    await file.look();
    if (file.state.fault) {
      file.input.focus();
      return;
    }
    busy(true);
    said.textContent = "Sending";

    const request = new XMLHttpRequest();
    request.open("POST", form.dataset.api);
    request.responseType = "json";
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRFToken", form.elements.csrfmiddlewaretoken.value);
    request.setRequestHeader("Idempotency-Key", form.elements.idempotency_key.value);
    request.upload.addEventListener("progress", ({ lengthComputable, loaded, total }) => {
      if (!lengthComputable) return;
      bar.value = loaded / total;
      said.textContent =
        loaded < total ? `${size(loaded)} of ${size(total)} sent` : "Sent. Waiting for the receipt";
    });
    request.addEventListener("load", () => {
      if (request.status >= 200 && request.status < 300 && request.response) {
        location.assign(pageOf(request.response));
        return;
      }
      busy(false);
      showRefusal(request.status, request.response);
    });
    request.addEventListener("error", () => {
      busy(false);
      showRefusal(0, null);
    });
    request.send(fields());
  });

  // A page restored from the back/forward cache must not stay busy.
  addEventListener("pageshow", (event) => {
    if (event.persisted) location.reload();
  });
}

function pageOf(answer) {
  const page = `/submissions/${encodeURIComponent(answer.id)}/`;
  if (answer.is_published_now) return `${page}?again=published`;
  return answer.duplicate_of ? `${page}?again` : page;
}

/* Refusals ----------------------------------------------------------------- */

const WORDS = {
  0: "The connection broke before the site answered. Send it again: the same file is never taken twice.",
  401: "Your sign-in has expired. Sign in again in another tab, then send again.",
  403: "The site did not accept this form. Reload the page and send again.",
  413: "The file is larger than this site takes.",
  503: "A service of the site is away for a moment. Nothing was lost; send it again.",
};

function hideRefusal() {
  document.getElementById("refusal").hidden = true;
}

function showRefusal(status, problem) {
  const box = document.getElementById("refusal");
  box.querySelector("[data-refusal-detail]").textContent =
    problem?.detail ?? WORDS[status] ?? `The site answered ${status} and gave no reason.`;
  box.querySelector("[data-refusal-remedy]").textContent = problem?.remedy ?? "";
  box.querySelector("[data-refusal-code]").replaceChildren(...(problem?.code ? [codeLink(problem.code)] : []));
  box.querySelector("[data-refusal-problems]").replaceChildren(...problemTable(problem));
  box.hidden = false;
  box.focus();
  box.scrollIntoView({ block: "start" });
}

function codeLink(code, word = code) {
  const link = document.createElement("a");
  link.href = `/help/codes/#${encodeURIComponent(code)}`;
  link.append(document.createElement("code"));
  link.firstChild.textContent = word;
  return link;
}

function problemTable(problem) {
  const problems = problem?.problems ?? [];
  if (problems.length === 0) return [];
  const table = document.getElementById("problems-template").content.cloneNode(true);
  const total = problem.n_problems ?? problems.length;
  table.querySelector("[data-problems-caption]").textContent =
    (total === 1 ? "1 problem" : `${total} problems`) +
    (total > problems.length ? `; the first ${problems.length} are shown` : "");
  table.querySelector("tbody").replaceChildren(...problems.map(problemRow));
  return [table];
}

const PROBLEM_PARTS = { code: "Code", where: "Where", found: "Found", wanted: "Wanted", hint: "What to do" };

function problemRow(problem) {
  const row = document.createElement("tr");
  row.setAttribute("role", "row");
  for (const [key, label] of Object.entries(PROBLEM_PARTS)) {
    const cell = document.createElement(key === "code" ? "th" : "td");
    cell.setAttribute("role", key === "code" ? "rowheader" : "cell");
    if (key === "code") cell.scope = "row";
    cell.dataset.label = label;
    if (key === "code") {
      cell.append(codeLink(`input.${problem.code}`, problem.code));
    } else {
      const text = document.createElement(key === "where" ? "code" : "span");
      text.textContent = problem[key] || "–";
      cell.append(text);
    }
    row.append(cell);
  }
  return row;
}
