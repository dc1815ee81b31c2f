// The page: what it shows of the simulation, and what all simulations have in common.

import { Controls } from "./controls.js";
import { Picture } from "./picture.js";
import { Plots } from "./plots.js";
import { Socket } from "./socket.js";

const at = (id) => document.getElementById(id);
const SPEEDS = [[1, "1 a second"], [5, "5 a second"], [10, "10 a second"], [30, "30 a second"], [60, "60 a second"],
  [240, "240 a second"], [1000, "1000 a second"], ["", "as fast as it goes"]];

const KEYS = at("keys").textContent;

let hello = { kind: "", steers: false };
let script = {}, last = null, known = {}, errorTimer = 0;

const send = (message) => socket.send(message);
const picture = new Picture(at("picture"), () => send({ do: "window", ...picture.message() }));
const plots = new Plots(at("plots"));

function fail(text) {
  at("error").textContent = text;
  clearTimeout(errorTimer);
  errorTimer = setTimeout(() => { at("error").textContent = ""; }, 8000);
}

function say(text) {
  if (at("state").textContent !== text) at("state").textContent = text;
}

function fill(select, values) {
  select.replaceChildren(...values.map((one) => (Array.isArray(one) ? new Option(one[1], one[0]) : new Option(one, one))));
}

function galleryIsOpen(isOpen) {
  at("gallery").hidden = !isOpen;
  at("simulation").hidden = isOpen || hello.kind === "gallery";
  at("open-gallery").setAttribute("aria-expanded", String(isOpen));
}

function buildGallery() {
  at("gallery").replaceChildren(...hello.presets.map((preset, number) => {
    const card = document.createElement("article"), title = document.createElement("h2");
    const about = document.createElement("p"), words = document.createElement("code"), open = document.createElement("button");
    card.className = "card";
    title.textContent = preset.title;
    about.textContent = preset.about;
    words.textContent = preset.words;
    open.type = "button";
    open.textContent = "Open";
    open.setAttribute("aria-label", `Open ${preset.title}`);
    open.disabled = !hello.steers;
    open.addEventListener("click", () => send({ do: "open", preset: number }));
    card.append(title, about, words, open);
    return card;
  }));
}

async function greeted(message) {
  const isNew = message.kind !== hello.kind || !last;
  hello = message;
  document.title = hello.kind === "gallery" ? "Heddle" : `Heddle: ${hello.kind}`;
  at("title").textContent = hello.kind === "gallery" ? "Heddle" : hello.kind;
  say(hello.steers ? "connected" : "connected: another browser steers");
  buildGallery();
  at("open-gallery").hidden = hello.kind === "gallery" || hello.presets.length === 0;
  galleryIsOpen(hello.kind === "gallery");
  if (hello.kind === "gallery") return;

  const steering = ["play", "step", "restart", "speed", "target"];
  for (const id of steering) at(id).disabled = !hello.steers;
  fill(at("target"), hello.targets);
  const palette = at("palette").value;
  fill(at("palette"), hello.palettes);
  if (hello.palettes.includes(palette)) {
    at("palette").value = palette;
    send({ do: "palette", name: palette });
  }
  at("palette").parentElement.hidden = hello.palettes.length < 2;
  fill(at("format"), hello.formats);
  at("command-line").hidden = true;
  plots.clear();
  picture.up = hello.up;
  picture.scales = hello.scales ?? [1e-306, 1e18];
  const { build } = await import(`./${hello.kind}.js`);
  script = build(new Controls({ hello, picture, send, own: at("own"), tools: at("tools"), fail })) ?? {};
  at("keys").textContent = [KEYS, script.keys].join(" ").trim();
  picture.resize();
  // After the connection was lost the window stays where it was.
  if (isNew || message.fresh) picture.show(hello.home);
  else picture.change();
}

function si(value) {
  if (!(value > 0)) return "0 ";
  const step = Math.min(5, Math.max(0, Math.floor(Math.log10(value) / 3)));
  return (value / 1000 ** step).toPrecision(3) + " " + ["", "k", "M", "G", "T", "P"][step];
}

function framed(header) {
  last = header;
  at("play").textContent = header.playing ? "Pause" : "Play";
  at("play").setAttribute("aria-pressed", String(header.playing));
  if (document.activeElement !== at("speed")) at("speed").value = header.per_second ?? "";
  if (document.activeElement !== at("target")) {
    if (!hello.targets.includes(header.target)) {
      hello.targets.push(header.target);
      at("target").append(new Option(header.target, header.target));
    }
    at("target").value = header.target;
  }
  at("text").textContent = header.status.text ?? "";
  let rate = header.playing ? `${si(header.steps_per_second)}steps/s, ${si(header.rate)}${header.rate_of}` : "paused";
  if (header.playing && header.bytes_per_second > 0) rate += `, ${si(header.bytes_per_second)}B/s`;
  if (header.playing && header.ceiling > 0) rate += ` (${Math.round((100 * header.bytes_per_second) / header.ceiling)} % of a copy)`;
  if (header.playing && header.unbounded) rate += `; ${header.unbounded}`;
  at("rate").textContent = rate;
  plots.show(header.status.plots ?? []);
  script.status?.(header.status, header);
}

function download(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

const socket = new Socket({
  open() {
    send({ do: "window", ...picture.message() });
  },
  async text(message) {
    if (message.is === "hello") await greeted(message);
    else if (message.is === "error") fail(message.text);
    else if (message.is === "command") {
      at("command-line").textContent = message.text;
      at("command-line").hidden = false;
      navigator.clipboard?.writeText(message.text).then(() => say("copied"), () => say("select and copy it"));
    }
  },
  binary(header, bytes) {
    if (header.file !== undefined) return download(header.file, new Blob([bytes]));
    // A frame leaves out what has not changed since an earlier one.
    header = known = { ...known, ...header };
    // With the picture, so that what is said of it is of it.
    picture.take(header, bytes, () => {
      framed(header);
      send({ do: "drawn", frame: header.frame });
    });
  },
  lost(why) {
    hello = { ...hello, steers: false };
    say(why ? `closed: ${why}; connecting again…` : "no connection; connecting again…");
  },
});

fill(at("speed"), SPEEDS);
at("speed").value = "";
const playOrPause = () => send({ do: last?.playing ? "pause" : "play" });
at("play").addEventListener("click", playOrPause);
at("step").addEventListener("click", () => send({ do: "step", count: 1 }));
at("restart").addEventListener("click", () => send({ do: "restart" }));
at("speed").addEventListener("change", () => {
  send({ do: "speed", per_second: at("speed").value === "" ? null : Number(at("speed").value) });
});
at("target").addEventListener("change", () => send({ do: "target", name: at("target").value }));
at("palette").addEventListener("change", () => send({ do: "palette", name: at("palette").value }));
at("save").addEventListener("click", () => send({ do: "save", name: at("format").value }));
at("save-window").addEventListener("click", () => at("picture").toBlob((blob) => download(`${hello.kind}-window.png`, blob)));
at("command").addEventListener("click", () => send({ do: "command" }));
at("closer").addEventListener("click", () => picture.zoom(0.5));
at("farther").addEventListener("click", () => picture.zoom(2));
const home = () => picture.show(last?.home ?? hello.home);
at("home").addEventListener("click", home);
at("open-gallery").addEventListener("click", () => galleryIsOpen(at("gallery").hidden));

at("picture").addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (script.key?.(event)) return event.preventDefault();
  if (event.key === " ") playOrPause();
  else if (event.key === ".") send({ do: "step", count: 1 });
  else if (event.key === "0" || event.key === "Home") home();
  else if (!picture.key(event.key)) return;
  event.preventDefault();
});
addEventListener("paste", (event) => {
  if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
  const text = event.clipboardData.getData("text/plain");
  if (text) script.drop?.(text, "pasted");
});
addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", async (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  const text = file ? await file.text() : event.dataTransfer.getData("text/plain");
  if (text) script.drop?.(text, file?.name ?? "dropped", picture.place(event));
});
