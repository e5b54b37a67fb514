// Filters lists, follows runs that are going, and listens to a few keys. All text goes into pages as text, never as HTML;
// the one exception is what our own server sends for a run that is going, which is escaped there.
"use strict";

document.documentElement.classList.add("js");

const STEP = 100; // rows that are drawn at a time
const KEPT = 5000; // names that "previous" and "next" know
const EVERY = 2000; // milliseconds between looks at a run that is going
const found = (id) => document.getElementById(id);

function make(tag, options = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(options)) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

// Lists -----------------------------------------------------------------------------------------------------------------------

const OUTCOMES = ["passed", "failed", "limit", "error", "unscorable", "skipped"];
const SIGNS = { passed: "✓", failed: "✗", limit: "◷", error: "!", unscorable: "?", skipped: "–" };
const ANY = "\u0000"; // the value of a choice that is not made

const REFUTED = ["proof refuted", "proof open"];

// What is right needs no reason, but for what proof says of it.
const told = (row) => row.outcome !== "passed" || row.kind.startsWith("proof ");

const SHAPES = {
  run: {
    read: ([name, task, epoch, outcome, score, kind, reason, question, seconds, cost, facets]) => ({
      name, task, epoch, outcome, score, kind, reason, question, seconds, cost, facets,
    }),
    words: (row) => `${row.task} ${row.reason} ${row.question} ${row.kind}`,
    draw: (rows) => make("ul", { class: "tasks" }, ...rows.map(drawEpisode)),
  },
  pair: {
    read: ([name, task, epoch, cell, outcomes, reasons, question, facets, linked]) => ({
      name, task, epoch, cell, outcomes, reasons, question, facets, linked,
    }),
    words: (row) => `${row.task} ${row.reasons.join(" ")} ${row.question}`,
    draw: (rows) => make("ul", { class: "tasks pair" }, ...rows.map(drawPair)),
    firstCells: ["A", "B", "none", "both", "apart"],
  },
  group: {
    read: ([name, task, epoch, cell, outcomes, question, facets]) => ({ name, task, epoch, cell, outcomes, question, facets }),
    words: (row) => `${row.task} ${row.question}`,
    draw: drawMatrix,
  },
};

const heading = (name) => (name.charAt(0).toUpperCase() + name.slice(1)).replaceAll("_", " ");

function titled(row) {
  return row.epoch ? `${row.task} (${row.epoch + 1})` : row.task;
}

function badge(outcome) {
  return make("span", { class: `badge ${OUTCOMES.includes(outcome) ? outcome : ""}` }, outcome);
}

function duration(seconds) {
  if (seconds < 1) return `${Math.round(1000 * seconds)} ms`;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  return `${Math.floor(seconds / 60)}:${String(Math.round(seconds % 60)).padStart(2, "0")} min`;
}

function drawEpisode(row) {
  const spent = duration(row.seconds) + (row.cost ? `, $${row.cost.toFixed(4)}` : "");
  return make("li", {},
    badge(row.outcome),
    make("a", { href: `${row.name}.html`, class: "name" }, titled(row)),
    make("span", { class: "why" }, row.reason, REFUTED.includes(row.kind) ? make("b", { class: "bad" }, ` ${row.kind}`) : null),
    make("span", { class: "dim spent number" }, spent),
    row.question ? make("span", { class: "dim asked" }, row.question) : null);
}

function drawPair(row) {
  const name = row.linked
    ? make("a", { href: `${row.name}.html`, class: "name" }, titled(row))
    : make("span", { class: "name" }, titled(row));
  const side = (place) => make("span", { class: "why" }, row.outcomes[place] ? badge(row.outcomes[place]) : "no record", ` ${row.reasons[place] || ""}`);
  return make("li", {}, name, side(0), side(1), row.question ? make("span", { class: "dim asked" }, row.question) : null);
}

// Tasks by runs: a sign and a colour for each outcome, which the browser and a screen reader also say in words.
function drawMatrix(rows, { runs }) {
  const head = make("tr", {}, make("th", { scope: "col" }, "Task"),
    ...runs.map((run) => make("th", { scope: "col", title: run.label }, make("a", { href: `${run.where}index.html` }, run.letter))));
  const cell = (row, outcome, run) => {
    if (!outcome) return make("td", { class: "none", title: `no record in ${run.letter}` }, "·");
    const words = `${titled(row)}: ${outcome} in ${run.letter}`;
    return make("td", { class: `is-${outcome}` },
      make("a", { href: `${run.where}${row.name}.html`, title: `${outcome} in ${run.letter}, ${run.label}`, "aria-label": words }, SIGNS[outcome] ?? outcome));
  };
  const line = (row) => make("tr", {},
    make("th", { scope: "row" }, titled(row), row.question ? make("span", { class: "dim asked" }, row.question) : null),
    ...runs.map((run, place) => cell(row, row.outcomes[place], run)));
  const key = make("p", { class: "dim key" }, ...OUTCOMES.map((each) => make("span", {}, make("b", { class: `is-${each}` }, SIGNS[each]), ` ${each}`)));
  const table = make("table", { class: "by-runs" }, make("thead", {}, head), make("tbody", {}, ...rows.map(line)));
  return make("div", {}, key, make("div", { class: "scroll", tabindex: "0" }, table));
}

class List {
  constructor(data) {
    this.data = data;
    this.shape = SHAPES[data.kind];
    this.rows = data.rows.map(this.shape.read);
    this.total = data.total ?? this.rows.length;
    this.shown = STEP;
    this.wanted = this.remembered();
    this.box = found("list");
    this.controls = found("filters");
    this.build();
    this.draw();
    addEventListener("hashchange", () => { this.wanted = this.remembered(); this.set(); this.draw(); });
    document.addEventListener("click", (event) => {
      const button = event.target.closest("[data-filter]");
      if (button) this.choose(button.dataset.filter, button.dataset.value);
    });
  }

  remembered() {
    const hash = location.hash.slice(1);
    if (!hash.includes("=")) {
      const cell = this.shape.firstCells?.find((each) => this.rows.some((row) => row.cell === each));
      return cell ? { cell } : {};
    }
    return Object.fromEntries(new URLSearchParams(hash));
  }

  remember() {
    const hash = new URLSearchParams(this.wanted).toString();
    history.replaceState(null, "", hash ? `#${hash}` : "#all=");
  }

  choose(name, value) {
    if (name === "cell" && this.data.kind === "pair") this.wanted = { ...this.wanted, cell: value };
    else if (this.wanted[name] === value) delete this.wanted[name];
    else this.wanted = { [name]: value };
    this.changed();
    this.controls.scrollIntoView({ block: "nearest" });
  }

  changed() {
    this.shown = STEP;
    this.remember();
    this.set();
    this.draw();
  }

  build() {
    this.controls.replaceChildren();
    this.inputs = {};
    const select = (name, label, values) => {
      const options = [make("option", { value: ANY }, "all"), ...values.map(([value, words]) => make("option", { value }, words))];
      const input = make("select", { onchange: () => this.take(name, input.value) }, ...options);
      this.inputs[name] = input;
      this.controls.append(make("label", {}, label, input));
    };
    if (this.data.kind === "run") {
      select("outcome", "Outcome", OUTCOMES.filter((each) => this.rows.some((row) => row.outcome === each)).map((each) => [each, each]));
      const kinds = [...new Set(this.rows.filter(told).map((row) => row.kind))].sort();
      if (kinds.length) select("kind", "Reason", kinds.map((each) => [each, each.replaceAll("_", " ") || "(none)"]));
    }
    for (const facet of this.data.facets) {
      const values = [...new Set(this.rows.map((row) => row.facets[facet] ?? ""))].sort((a, b) => a.localeCompare(b, undefined, { numeric: true }));
      if (values.length > 1) select(`facet:${facet}`, heading(facet), values.map((each) => [each, each || "(none)"]));
    }
    const text = make("input", { type: "search", id: "text", placeholder: "task, reason, question", oninput: () => this.take("text", text.value || ANY) });
    this.inputs.text = text;
    this.controls.append(make("label", {}, "Text", text));
    this.controls.append(make("button", { type: "button", id: "clear", onclick: () => { this.wanted = {}; this.changed(); } }, "Clear"));
    this.set();
  }

  take(name, value) {
    if (value === ANY) delete this.wanted[name];
    else this.wanted[name] = value;
    this.changed();
  }

  set() {
    for (const [name, input] of Object.entries(this.inputs)) {
      const value = this.wanted[name] ?? (name === "text" ? "" : ANY);
      if (input.value !== value) input.value = value;
    }
    for (const button of document.querySelectorAll("[data-filter]")) {
      button.setAttribute("aria-pressed", String(this.wanted[button.dataset.filter] === button.dataset.value));
    }
  }

  matching() {
    const words = (this.wanted.text || "").toLowerCase().split(/\s+/).filter(Boolean);
    const tests = Object.entries(this.wanted).filter(([name]) => !["text", "all"].includes(name)).map(([name, value]) => {
      if (name.startsWith("facet:")) return (row) => (row.facets[name.slice(6)] ?? "") === value;
      if (name === "kind") return (row) => told(row) && row.kind === value;
      return (row) => row[name] === value;
    });
    return this.rows.filter((row) => tests.every((test) => test(row)) && (!words.length || this.has(row, words)));
  }

  has(row, words) {
    row.text ??= this.shape.words(row).toLowerCase();
    return words.every((word) => row.text.includes(word));
  }

  draw() {
    const rows = this.matching();
    const list = this.shape.draw(rows.slice(0, this.shown), this.data);
    const left = rows.length - this.shown;
    const more = left > 0 ? make("button", { type: "button", id: "more", onclick: () => { this.shown += STEP; this.draw(); } }, `Show more (${left.toLocaleString("en")} left)`) : null;
    this.box.replaceChildren(...(rows.length ? [list, more].filter(Boolean) : this.rows.length ? [make("p", { class: "notice" }, "No task matches this filter.")] : []));
    const coming = this.rows.length < this.total ? `, of ${this.total.toLocaleString("en")} so far` : "";
    found("found").textContent = `${rows.length.toLocaleString("en")} of ${this.rows.length.toLocaleString("en")} shown${coming}`;
    for (const number of document.querySelectorAll("[data-count]")) {
      number.textContent = this.rows.filter((row) => row.cell === number.dataset.count).length.toLocaleString("en");
    }
    if (this.data.kind !== "group") keep(rows.slice(0, Math.max(KEPT, this.shown)).map((row) => [row.name, row.task]));
  }

  // A long list comes in pieces, the first with the page.
  async fill() {
    while (this.rows.length < this.total) {
      const asked = new URLSearchParams({ from: this.rows.length, generation: this.data.generation });
      const news = await (await fetch(`${this.data.more}?${asked}`)).json();
      if (news.reload) return location.reload();
      if (!news.rows.length) break;
      for (const row of news.rows) this.rows.push(this.shape.read(row));
      this.draw();
    }
    this.total = this.rows.length;
    this.add([], true);
    return undefined;
  }

  add(rows, again = false) {
    if (!rows.length && !again) return;
    for (const row of rows) this.rows.push(this.shape.read(row));
    this.total = Math.max(this.total, this.rows.length);
    const focused = document.activeElement && document.activeElement.id;
    this.build();
    if (focused === "text") found("text").focus();
    this.draw();
  }
}

// The order of the list, so that "next" on an episode's page is the next that was asked for -----------------------------------

function keep(order) {
  try {
    sessionStorage.setItem(`touchstone:${location.pathname.replace(/[^/]*$/, "")}`, JSON.stringify({ order, hash: location.hash }));
  } catch { /* no storage: the links lead through the whole run */ }
}

function turnPages() {
  const own = document.querySelector("main").dataset.name;
  if (!own) return;
  let kept = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(`touchstone:${location.pathname.replace(/[^/]*$/, "")}`));
  } catch { /* as above */ }
  if (!kept) return;
  const back = document.querySelector('header nav a[href="index.html"]');
  if (back && kept.hash) back.href = `index.html${kept.hash}`;
  const place = kept.order.findIndex(([name]) => name === own);
  if (place < 0) return;
  const links = [["prev", "← previous", place - 1], ["next", "next →", place + 1]];
  document.querySelector(".turn").replaceChildren(...links.filter(([, , at]) => kept.order[at]).map(([rel, words, at]) =>
    make("a", { href: `${kept.order[at][0]}.html`, rel, id: `turn-${rel}`, title: kept.order[at][1] }, words)));
}

// Runs that are going ---------------------------------------------------------------------------------------------------------

function follow(list) {
  const main = document.querySelector("main");
  if (!main.dataset.live) return;
  const look = async () => {
    if (document.hidden) return setTimeout(look, EVERY);
    try {
      const known = list ? list.rows.length : 0;
      const answer = await fetch(`${main.dataset.live}?${new URLSearchParams({ stamp: main.dataset.stamp, from: known })}`);
      if (answer.status === 200) {
        const news = await answer.json();
        if (news.reload) return location.reload();
        const marked = new Set([...document.querySelectorAll(".mark:checked")].map((mark) => mark.value));
        main.dataset.stamp = news.stamp;
        found("live").innerHTML = news.html;
        if (news.breakdown) found("breakdown").innerHTML = news.breakdown;
        for (const mark of document.querySelectorAll(".mark")) mark.checked = marked.has(mark.value);
        choosing();
        table?.apply();
        if (list) { list.add(news.rows); list.set(); }
        if (list && !news.live) return undefined;
      }
    } catch { /* the server is gone, or will be back */ }
    return setTimeout(look, EVERY);
  };
  setTimeout(look, EVERY);
}

// The table of runs: sorted by a click on a column's head, searched, filtered by a tag. All of it is in the URL ----------------

class Runs {
  constructor() {
    this.controls = found("filters");
    this.wanted = this.remembered();
    this.text = make("input", { type: "search", id: "text", placeholder: "run, model, tag, note", oninput: () => this.take({ text: this.text.value }) });
    this.tag = make("select", { onchange: () => this.take({ tag: this.tag.value === ANY ? "" : this.tag.value }) });
    this.tagged = make("label", {}, "Tag", this.tag);
    this.order = make("select", { onchange: () => this.take({ sort: this.order.value === ANY ? "" : this.order.value }) },
      make("option", { value: ANY }, "newest first"));
    this.clear = make("button", { type: "button", id: "clear", onclick: () => this.take({ text: "", tag: "", sort: "" }) }, "Clear");
    this.controls.replaceChildren(make("label", {}, "Search", this.text), this.tagged, make("label", { class: "narrow" }, "Sort by", this.order), this.clear);
    document.addEventListener("click", (event) => {
      const button = event.target.closest(".tag, .sorter");
      if (!button) return;
      if (button.classList.contains("tag")) this.take({ tag: this.wanted.tag === button.dataset.value ? "" : button.dataset.value });
      else this.turn(button.closest("th"));
    });
    addEventListener("hashchange", () => { this.wanted = this.remembered(); this.apply(); });
    this.apply();
  }

  remembered() {
    return { text: "", tag: "", sort: "", ...Object.fromEntries(new URLSearchParams(location.hash.slice(1))) };
  }

  take(wanted) {
    Object.assign(this.wanted, wanted);
    const chosen = Object.entries(this.wanted).filter(([, value]) => value);
    history.replaceState(null, "", chosen.length ? `#${new URLSearchParams(chosen)}` : location.pathname + location.search);
    this.apply();
  }

  // Numbers from the largest, texts from A; then the other way; then as it was.
  turn(head) {
    const name = head.dataset.name;
    const ways = head.dataset.kind === "number" ? ["down", "up"] : ["up", "down"];
    const [by, way] = this.wanted.sort.split(":");
    const next = by === name ? ways[ways.indexOf(way) + 1] : ways[0];
    this.take({ sort: next ? `${name}:${next}` : "" });
  }

  apply() {
    const body = document.querySelector(".runs tbody");
    this.controls.hidden = !body;
    if (!body) return;
    const rows = [...body.rows];
    rows.forEach((row, place) => { row.dataset.place ??= place; });
    this.head();
    this.sort(body, rows);
    const tags = [...new Set(rows.flatMap((row) => row.dataset.tags.split(" ").filter(Boolean)))].sort();
    this.tagged.hidden = !tags.length;
    this.tag.replaceChildren(make("option", { value: ANY }, "all"), ...tags.map((tag) => make("option", { value: tag }, tag)));
    this.tag.value = tags.includes(this.wanted.tag) ? this.wanted.tag : ANY;
    if (this.text.value !== this.wanted.text) this.text.value = this.wanted.text;
    this.order.value = this.wanted.sort || ANY;
    const words = this.wanted.text.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (row) => (!this.wanted.tag || row.dataset.tags.split(" ").includes(this.wanted.tag))
      && words.every((word) => row.textContent.toLowerCase().includes(word));
    for (const row of rows) row.hidden = !fits(row);
    for (const button of document.querySelectorAll(".tag")) button.setAttribute("aria-pressed", String(button.dataset.value === this.wanted.tag));
    found("found").textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} runs`;
  }

  head() {
    const [by, way] = this.wanted.sort.split(":");
    for (const head of document.querySelectorAll(".runs th")) {
      head.dataset.name ??= head.textContent;
      const name = head.dataset.name;
      if (!head.firstElementChild) head.replaceChildren(make("button", { type: "button", class: "sorter" }, name));
      if (!this.order.querySelector(`[value="${name}:up"]`)) {
        for (const [end, arrow] of [["down", "↓"], ["up", "↑"]]) this.order.append(make("option", { value: `${name}:${end}` }, `${name} ${arrow}`));
      }
      head.setAttribute("aria-sort", by === head.dataset.name ? { up: "ascending", down: "descending" }[way] ?? "none" : "none");
    }
  }

  sort(body, rows) {
    const [by, way] = this.wanted.sort.split(":");
    const heads = [...document.querySelectorAll(".runs th")];
    const at = heads.findIndex((head) => head.dataset.name === by);
    const place = (row) => Number(row.dataset.place);
    const value = (row) => row.cells[at].dataset.value;
    const compared = at < 0 ? () => 0 : (a, b) => {
      if (!value(a) || !value(b)) return Number(!value(a)) - Number(!value(b)); // what is unknown comes last, either way
      const order = heads[at].dataset.kind === "number" ? Number(value(a)) - Number(value(b)) : value(a).localeCompare(value(b), undefined, { numeric: true });
      return way === "down" ? -order : order;
    };
    const sorted = rows.toSorted((a, b) => compared(a, b) || place(a) - place(b));
    if (sorted.some((row, index) => row !== body.rows[index])) body.append(...sorted);
  }
}

// Runs to compare: two, or more. A folder has some comparisons, one of which may hold the runs that are marked -------------------

function choosing() {
  const button = found("compare");
  if (!button) return;
  button.hidden = document.querySelectorAll(".mark").length < 2;
  const place = (mark) => Number(mark.closest("tr").dataset.place ?? 0);
  const marked = () => [...document.querySelectorAll(".mark:checked")].sort((a, b) => place(a) - place(b)).map((mark) => mark.value);
  const known = button.dataset.compared && JSON.parse(button.dataset.compared);
  const where = () => {
    const runs = marked();
    if (runs.length < 2 || runs.length > Number(button.dataset.most)) return null;
    if (!known) return ["compare", ...runs].join("/");
    return known.find(([, ...names]) => runs.every((run) => names.includes(run)))?.[0];
  };
  const update = () => {
    const count = marked().length;
    button.disabled = !where();
    button.textContent = button.disabled && count < 2 ? "Compare: mark two runs or more"
      : button.disabled ? (count > Number(button.dataset.most) ? `Compare: ${button.dataset.most} runs at most` : "Compare: not in this folder") : `Compare ${count} runs`;
  };
  for (const mark of document.querySelectorAll(".mark")) mark.addEventListener("change", update);
  button.onclick = () => { location.href = `${where()}/index.html`; };
  update();
}

// Markdown as it was written: for all that is said on the page at once, and on the next page too -------------------------------

function asWritten() {
  const buttons = [...document.querySelectorAll(".raw-toggle")];
  if (!buttons.length || !document.querySelector(".raw")) return;
  const show = (raw) => {
    for (const each of document.querySelectorAll(".markdown")) each.hidden = raw;
    for (const each of document.querySelectorAll(".raw")) each.hidden = !raw;
    for (const button of buttons) button.setAttribute("aria-pressed", String(raw));
    try { sessionStorage.setItem("touchstone:raw", raw ? "1" : ""); } catch { /* no storage: only this page */ }
  };
  for (const button of buttons) {
    button.hidden = false;
    button.addEventListener("click", () => show(button.getAttribute("aria-pressed") !== "true"));
  }
  try { if (sessionStorage.getItem("touchstone:raw")) show(true); } catch { /* as above */ }
}

// Keys ------------------------------------------------------------------------------------------------------------------------

const KEYS = [["/", "to the text filter"], ["j  k", "next and previous task in the list, or page"], ["Enter", "open"], ["u", "up: back to the list"], ["?", "this help"]];

function help() {
  const rows = KEYS.map(([key, words]) => make("p", {}, make("kbd", {}, key), ` ${words}`));
  const dialog = make("dialog", {}, make("h2", {}, "Keys"), ...rows, make("button", { type: "button", onclick: () => dialog.close() }, "Close"));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function move(by) {
  const links = [...document.querySelectorAll("a.name, .runs tr:not([hidden]) a")];
  if (links.length) {
    const place = links.indexOf(document.activeElement);
    const next = links[place < 0 ? 0 : Math.min(Math.max(place + by, 0), links.length - 1)];
    next.focus();
    next.scrollIntoView({ block: "nearest" });
  } else found(by > 0 ? "turn-next" : "turn-prev")?.click();
}

function up() {
  const links = document.querySelectorAll("header nav a");
  if (links.length) links[links.length - 1].click();
}

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const acts = { "/": () => found("text")?.focus(), j: () => move(1), k: () => move(-1), u: up, "?": help };
  const act = acts[event.key];
  if (act) { event.preventDefault(); act(); }
});

const source = found("tasks");
const list = source ? new List(JSON.parse(source.textContent)) : null;
const table = !list && document.querySelector("#live") ? new Runs() : null;
turnPages();
choosing();
asWritten();
if (list && list.rows.length < list.total) list.fill().then(() => follow(list), () => {});
else follow(list);
const helper = found("help");
helper.hidden = false;
helper.addEventListener("click", help);
