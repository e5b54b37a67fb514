// The live view: shows the screen as it is, and sends what the person does, one thing after the other.
"use strict";

const $ = (id) => document.getElementById(id);
const screenImage = $("screen");
const PAUSE = 400, TYPING_PAUSE = 350, CLICK_PAUSE = 250, DRAG_PIXELS = 6;
const NAMES = {
  Enter: "enter", Backspace: "backspace", Tab: "tab", Escape: "esc", Delete: "delete", Insert: "insert", Home: "home", End: "end",
  PageUp: "pageup", PageDown: "pagedown", ArrowLeft: "left", ArrowRight: "right", ArrowUp: "up", ArrowDown: "down", " ": "space",
};
const KEPT = [["ctrl", "w"], ["ctrl", "t"], ["ctrl", "n"], ["ctrl", "shift", "t"], ["alt", "tab"], ["alt", "f4"], ["f11"], ["win"], ["esc"]];
const BUTTONS = ["left", "middle", "right"];

let playing = false, number = 0, waiting = 0, chain = Promise.resolve();

// --- sending

function send(event) {
  waiting += 1;
  show();
  chain = chain.then(async () => {
    try {
      const answer = await fetch("do", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(event) });
      $("told").textContent = answer.ok ? (await answer.json()).told : await answer.text();
    } catch (error) {
      $("told").textContent = "The run no longer answers.";
    }
    waiting -= 1;
    show();
  });
  return chain;
}

function show() {
  $("status").textContent = waiting ? `${waiting} still to be carried out …` : " ";
  screenImage.classList.toggle("busy", waiting > 0);
}

// --- looking

function loaded(source) {
  return new Promise((resolve) => {
    const next = new Image();
    next.onload = () => resolve(true);
    next.onerror = () => resolve(false);
    next.src = source;
  });
}

async function refresh() {
  try {
    const answer = await fetch("screen.png");
    if (answer.ok) {
      const before = screenImage.src, url = URL.createObjectURL(await answer.blob());
      if (await loaded(url)) screenImage.src = url;
      if (before.startsWith("blob:")) URL.revokeObjectURL(before);
    }
  } catch (error) { /* the state says what is the matter */ }
}

async function state() {
  try {
    const now = await (await fetch("state")).json();
    if (now.playing && now.number !== number) {
      number = now.number;
      $("task").textContent = `Task ${now.task}`;
      $("request").textContent = now.request;
      $("told").textContent = "";
    }
    playing = now.playing;
    $("waiting").textContent = "Preparing the next task …";
  } catch (error) {
    playing = false;
    $("waiting").textContent = "The run is over. You can close this page.";
  }
  screenImage.hidden = !playing || !screenImage.src;
  $("waiting").hidden = !screenImage.hidden;
  $("end").hidden = !playing;
}

async function watch() {
  for (;;) {
    await state();
    if (playing) await refresh();
    await new Promise((resolve) => setTimeout(resolve, document.hidden ? 5 * PAUSE : PAUSE));
  }
}

// --- the mouse

let pressed = null, clicks = 0, clickTimer = 0, wheel = 0, wheelTimer = 0;

function place(event) {
  const box = screenImage.getBoundingClientRect();
  const x = (event.clientX - box.left) * screenImage.naturalWidth / box.width;
  const y = (event.clientY - box.top) * screenImage.naturalHeight / box.height;
  return [Math.min(Math.max(Math.floor(x), 0), screenImage.naturalWidth - 1), Math.min(Math.max(Math.floor(y), 0), screenImage.naturalHeight - 1)];
}

screenImage.addEventListener("mousedown", (event) => {
  event.preventDefault();
  screenImage.focus();
  flush();
  pressed = { at: place(event), button: event.button };
});

window.addEventListener("mouseup", (event) => {
  if (!pressed) return;
  const { at, button } = pressed, end = place(event), name = BUTTONS[button] || "left";
  pressed = null;
  if (Math.hypot(end[0] - at[0], end[1] - at[1]) > DRAG_PIXELS) {
    send({ type: "drag", start: at, end, button: name });
    return;
  }
  clicks += 1;
  clearTimeout(clickTimer);
  clickTimer = setTimeout(() => {
    send({ type: "click", at, button: name, clicks: Math.min(clicks, 3) });
    clicks = 0;
  }, CLICK_PAUSE);
});

screenImage.addEventListener("contextmenu", (event) => event.preventDefault());
screenImage.addEventListener("wheel", (event) => {
  event.preventDefault();
  wheel -= Math.sign(event.deltaY);
  const at = place(event);
  clearTimeout(wheelTimer);
  wheelTimer = setTimeout(() => {
    if (wheel) send({ type: "scroll", at, amount: wheel });
    wheel = 0;
  }, CLICK_PAUSE);
}, { passive: false });

// --- the keyboard

let typed = "", typingTimer = 0;

function flush() {
  clearTimeout(typingTimer);
  if (typed) send({ type: "type", text: typed });
  typed = "";
}

screenImage.addEventListener("keydown", (event) => {
  if (["Control", "Alt", "Shift", "Meta", "AltGraph", "CapsLock", "Dead", "Process"].includes(event.key)) return;
  event.preventDefault();
  const plain = event.key.length === 1 && (event.getModifierState("AltGraph") || !(event.ctrlKey || event.altKey || event.metaKey));
  if (plain) {
    typed += event.key;
    clearTimeout(typingTimer);
    typingTimer = setTimeout(flush, TYPING_PAUSE);
    return;
  }
  flush();
  const key = NAMES[event.key] || event.key.toLowerCase();
  const held = [event.ctrlKey && "ctrl", event.altKey && "alt", event.shiftKey && "shift", event.metaKey && "win"].filter(Boolean);
  send({ type: "keys", keys: [...held, key] });
});

// --- the side

for (const word of ["done", "fail", "wait"]) {
  $(word).addEventListener("click", () => {
    flush();
    const question = { done: "Is the task done? It will be judged now.", fail: "Can the task not be done? It will end now." }[word];
    if (!question || window.confirm(question)) send({ type: "say", word });
  });
}

for (const keys of KEPT) {
  const button = document.createElement("button");
  button.textContent = keys.join(" + ");
  button.addEventListener("click", () => send({ type: "keys", keys }));
  $("keys").append(button, " ");
}

$("paste").addEventListener("submit", (event) => {
  event.preventDefault();
  const text = $("text").value;
  if (text) send({ type: "type", text });
  $("text").value = "";
});

watch();
