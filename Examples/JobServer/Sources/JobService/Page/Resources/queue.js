// The queue of the server: its limits, and switches that pause the starts of all runs or of a kind.
import { get, post } from "./api.js";
import { limits } from "./form.js";
import { element, length, moment, named, number, show, shown } from "./text.js";

const menu = document.getElementById("queue");
const line = document.getElementById("limits");
const facts = menu.querySelector("dl");
const list = menu.querySelector("ul");
const problem = menu.querySelector(".problem");
const notice = document.getElementById("paused");
let announce = () => {};
let isLoading = false;
let isOutdated = false;

export function prepareQueue(announcement) {
  announce = announcement;
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target)) menu.open = false;
  });
  menu.addEventListener("toggle", () => { if (menu.open) showQueue(); });
}

// Closes the menu. Returns whether it was open.
export function closeQueue() {
  const wasOpen = menu.open;
  menu.open = false;
  if (wasOpen) menu.querySelector("summary").focus();
  return wasOpen;
}

// Reads the queue. Requests during a reading are combined.
export async function showQueue() {
  isOutdated = true;
  if (isLoading) return;
  isLoading = true;
  try {
    while (isOutdated) {
      isOutdated = false;
      fill(await get("/queue"));
    }
  } catch {
    // It is requested again with the next list.
  } finally {
    isLoading = false;
  }
}

function fill(queue) {
  const paused = queue.kinds.filter((kind) => kind.isPaused).map((kind) => shown(kind.name));
  const isPaused = queue.isPaused || paused.length > 0;
  const isFull = limits.jobs > 0 && queue.executing >= limits.jobs && queue.queued > 0;
  const state = queue.isPaused ? ", paused" : paused.length > 0 ? ", partly paused" : isFull ? ", full" : "";
  show(line.children[0], `${number(queue.executing)} of ${number(limits.jobs ?? 0)} runs`);
  show(line.children[2], state);
  line.dataset.warns = isFull || isPaused;
  menu.hidden = !limits.jobs;
  const rows = [
    ["Runs at a time", number(limits.jobs ?? 0)], ["Tasks at a time", number(limits.width ?? 0)],
    ["Queued", `${number(queue.queued)} of ${number(limits.queueLimit ?? 0)}`],
    ["Serving since", `${moment(limits.startedAt ?? null)}, for ${length(Date.now() - limits.startedAt)}`],
    ["Version", limits.version ?? ""],
  ];
  rows.forEach(([name, words], place) => {
    const row = facts.children[place] ?? facts.appendChild(element("div", {}, element("dt", {}, name), element("dd")));
    show(row.children[1], words);
  });
  item(0, "All runs", queue.isPaused, "/queue", null);
  queue.kinds.forEach((kind, place) => item(
    place + 1, kind.name, kind.isPaused, `/kinds/${encodeURIComponent(kind.name)}`, kind.queued,
  ));
  fillNotice(queue, paused);
}

// A row of the menu. It is updated in place, so that the focus stays.
function item(place, name, isPaused, path, queued) {
  let row = list.children[place];
  if (!row) {
    const button = element("button", { type: "button" });
    button.addEventListener("click", () => press(button, path, shown(name)));
    row = list.appendChild(element("li", {}, named(name), element("span", { class: "quiet" }), button));
  }
  show(row.children[1], [isPaused ? "paused" : null, queued > 0 ? `${number(queued)} queued` : null].filter(Boolean).join(", "));
  const button = row.children[2];
  show(button, isPaused ? "Resume" : "Pause");
  button.setAttribute("aria-label", `${isPaused ? "Resume" : "Pause"}: ${shown(name)}`);
}

async function press(button, path, name) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  problem.hidden = true;
  const verb = button.textContent;
  try {
    fill(await post(`${path}/${verb.toLowerCase()}`));
    announce(`${verb}d: ${name}.`);
  } catch (refusal) {
    show(problem, refusal.message);
    problem.hidden = false;
    menu.open = true;
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

// A paused queue looks like a server that hangs. Therefore, the page always shows a pause.
function fillNotice(queue, paused) {
  const words = queue.isPaused ? "The queue is paused: no run starts."
    : paused.length > 0 ? `Paused: ${paused.join(", ")}. Queued runs of ${paused.length === 1 ? "this kind" : "these kinds"} do not start.` : "";
  show(notice.querySelector("span"), words);
  const button = notice.querySelector("button");
  // Several kinds are resumed in the menu.
  const isOne = queue.isPaused || paused.length === 1;
  show(button, isOne ? "Resume" : "Show");
  button.onclick = async (event) => {
    event.stopPropagation();
    if (isOne) await press(button, queue.isPaused ? "/queue" : `/kinds/${encodeURIComponent(pausedName(queue))}`, queue.isPaused ? "All runs" : paused[0]);
    else menu.open = true;
    if (notice.hidden || !isOne) menu.querySelector("summary").focus();
  };
  notice.hidden = words === "";
}

const pausedName = (queue) => queue.kinds.find((kind) => kind.isPaused).name;
