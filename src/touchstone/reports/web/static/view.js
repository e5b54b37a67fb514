// Filters lists, follows runs that are going, and listens to a few keys. All text goes into pages as text, never as HTML;
// the one exception is what our own server sends for a run that is going, which is escaped there.
"use strict";

document.documentElement.classList.add("js");

const STEP = 100; // rows that are drawn at a time
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

// What is right needs no reason, but for what proof says of it.
const told = (row) => row.outcome !== "passed" || row.kind.startsWith("proof ");

const SHAPES = {
  run: {
    read: ([name, task, epoch, outcome, score, kind, reason, question, seconds, cost, facets]) => ({
      name, task, epoch, outcome, score, kind, reason, question, seconds, cost, facets,
      text: `${task} ${reason} ${question} ${kind}`.toLowerCase(),
    }),
    draw: drawEpisode,
    first: {},
  },
  pair: {
    read: ([name, task, epoch, cell, outcomes, reasons, question, facets, linked]) => ({
      name, task, epoch, cell, outcomes, reasons, question, facets, linked,
      text: `${task} ${reasons.join(" ")} ${question}`.toLowerCase(),
    }),
    draw: drawPair,
    first: { cell: "A" },
  },
};

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
    make("span", { class: "why" }, row.reason),
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

class List {
  constructor(data) {
    this.data = data;
    this.shape = SHAPES[data.kind];
    this.rows = data.rows.map(this.shape.read);
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
    if (!hash.includes("=")) return { ...this.shape.first };
    return Object.fromEntries(new URLSearchParams(hash));
  }

  remember() {
    const hash = new URLSearchParams(this.wanted).toString();
    history.replaceState(null, "", hash ? `#${hash}` : "#all=");
  }

  choose(name, value) {
    if (this.data.kind === "pair" && name === "cell") this.wanted = { ...this.wanted, cell: value };
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
      const options = [make("option", { value: "\u0000" }, "all"), ...values.map(([value, words]) => make("option", { value }, words))];
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
      if (values.length > 1) select(`facet:${facet}`, facet.replaceAll("_", " "), values.map((each) => [each, each || "(none)"]));
    }
    const text = make("input", { type: "search", id: "text", placeholder: "task, reason, question", oninput: () => this.take("text", text.value || "\u0000") });
    this.inputs.text = text;
    this.controls.append(make("label", {}, "Text", text));
    this.controls.append(make("button", { type: "button", id: "clear", onclick: () => { this.wanted = {}; this.changed(); } }, "Clear"));
    this.set();
  }

  take(name, value) {
    if (value === "\u0000") delete this.wanted[name];
    else this.wanted[name] = value;
    this.changed();
  }

  set() {
    for (const [name, input] of Object.entries(this.inputs)) {
      const value = this.wanted[name] ?? (name === "text" ? "" : "\u0000");
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
    return this.rows.filter((row) => tests.every((test) => test(row)) && words.every((word) => row.text.includes(word)));
  }

  draw() {
    const rows = this.matching();
    const list = make("ul", { class: this.data.kind === "pair" ? "tasks pair" : "tasks" }, ...rows.slice(0, this.shown).map(this.shape.draw));
    const left = rows.length - this.shown;
    const more = left > 0 ? make("button", { type: "button", id: "more", onclick: () => { this.shown += STEP; this.draw(); } }, `Show more (${left.toLocaleString("en")} left)`) : null;
    this.box.replaceChildren(...(rows.length ? [list, more].filter(Boolean) : []));
    found("found").textContent = `${rows.length.toLocaleString("en")} of ${this.rows.length.toLocaleString("en")} shown`;
    keep(rows.map((row) => [row.name, row.task]));
  }

  add(rows) {
    if (!rows.length) return;
    this.rows.push(...rows.map(this.shape.read));
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
        for (const mark of document.querySelectorAll(".mark")) mark.checked = marked.has(mark.value);
        choosing();
        if (list) { list.add(news.rows); list.set(); }
        if (list && !news.live) return undefined;
      }
    } catch { /* the server is gone, or will be back */ }
    return setTimeout(look, EVERY);
  };
  setTimeout(look, EVERY);
}

// Two runs to compare ---------------------------------------------------------------------------------------------------------

function choosing() {
  const button = found("compare");
  if (!button) return;
  const marked = () => [...document.querySelectorAll(".mark:checked")].map((mark) => mark.value);
  const known = button.dataset.pairs?.split(" ");
  const update = () => { button.disabled = marked().length !== 2 || Boolean(known && !known.includes(marked().join("/"))); };
  for (const mark of document.querySelectorAll(".mark")) mark.addEventListener("change", update);
  button.addEventListener("click", () => {
    const [first, second] = marked();
    location.href = `compare/${first}/${second}/index.html`;
  });
  update();
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
  const links = [...document.querySelectorAll("a.name, .runs a")];
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
turnPages();
choosing();
follow(list);
const helper = found("help");
helper.hidden = false;
helper.addEventListener("click", help);
