// The table of runs: one row each, changed in place, so that nothing jumps and focus stays.
import { element, hasEnded, howLong, number, show, states, tasks } from "./text.js";

const table = document.getElementById("runs");
const body = table.tBodies[0];
const nothing = document.getElementById("nothing");
const summary = document.getElementById("summary");
const rows = new Map();
let act = () => {};

export const runs = new Map();

export function prepareRuns(action) {
  act = action;
  setInterval(showTimes, 1000);
}

// Takes a run as the server told it; returns what was known of it before.
export function takeRun(run) {
  const before = runs.get(run.id);
  // The answer to a cancel may come behind the event that tells the end.
  if (before && isEarlier(run, before)) return before;
  runs.set(run.id, run);
  const row = rows.get(run.id) ?? addRow(run);
  fill(row, run);
  showSummary();
  return before;
}

const rank = (run) => (run.state === "queued" ? 0 : run.state === "running" ? 1 : 2);

function isEarlier(run, known) {
  if (rank(run) !== rank(known)) return rank(run) < rank(known);
  return rank(run) === 1 && run.tasksFinished < known.tasksFinished;
}

export function forgetRun(id) {
  rows.get(id)?.line.remove();
  rows.delete(id);
  runs.delete(id);
  showSummary();
}

export function showSummary() {
  const all = [...runs.values()];
  nothing.hidden = all.length > 0;
  table.hidden = all.length === 0;
  const parts = ["running", "queued", "failed"]
    .map((state) => [state, all.filter((run) => run.state === state).length])
    .filter(([, count]) => count > 0)
    .map(([state, count]) => `${number(count)} ${state}`);
  show(summary, all.length === 0 ? "" : [`${number(all.length)} shown`, ...parts].join(" · "));
}

export function select(id) {
  for (const [rowID, row] of rows) {
    if (rowID === id) row.line.setAttribute("aria-current", "true");
    else row.line.removeAttribute("aria-current");
  }
}

function addRow(run) {
  const cell = (label, ...children) => element("td", { role: "cell", "data-label": label }, ...children);
  const row = {
    title: element("a", { href: `#run-${run.id}` }),
    note: element("span", { class: "quiet note" }),
    sign: element("span", { class: "sign", "aria-hidden": "true" }),
    word: element("span"),
    bar: element("progress", { max: "1" }),
    tasks: element("span", { class: "tasks" }),
    time: element("span"),
    button: element("button", { type: "button" }),
  };
  row.state = element("span", { class: "state" }, row.sign, row.word);
  row.line = element(
    "tr", { role: "row", id: `row-${run.id}` },
    cell("Run", row.title, row.note), cell("State", row.state),
    cell("Progress", row.bar, row.tasks), cell("Time", row.time), cell("Action", row.button),
  );
  row.button.addEventListener("click", () => press(run.id));
  rows.set(run.id, row);
  // The newest stands first.
  const next = [...body.rows].find((line) => Number(line.id.slice(4)) < run.id);
  body.insertBefore(row.line, next ?? null);
  return row;
}

function fill(row, run) {
  show(row.title, run.title);
  const attempt = run.attempt > 1 ? `, attempt ${run.attempt}` : "";
  show(row.note, `#${run.id} · ${run.kind}${attempt}`);
  row.line.dataset.state = run.state;
  show(row.sign, states[run.state].sign);
  show(row.word, states[run.state].word);
  row.bar.value = run.progress;
  row.bar.setAttribute("aria-label", `Progress of run ${run.id}`);
  show(row.tasks, tasks(run));
  show(row.time, howLong(run, Date.now()));
  const verb = hasEnded(run) ? "Run again" : "Cancel";
  // One button for both: whoever stands on Cancel stands on Run again when the run has ended.
  if (row.button.textContent !== verb) {
    row.button.removeAttribute("aria-disabled");
    row.button.textContent = verb;
  }
  row.button.setAttribute("aria-label", `${verb}: run ${run.id}, ${run.title}`);
}

async function press(id) {
  const { button } = rows.get(id);
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  const wasRunning = !hasEnded(runs.get(id));
  const done = await act(id, wasRunning ? "cancel" : "run-again");
  // A cancel that was taken stays asked for until the run has ended.
  if (!done || !wasRunning) button.removeAttribute("aria-disabled");
}

function showTimes() {
  for (const [id, run] of runs) {
    if (!hasEnded(run)) show(rows.get(id).time, howLong(run, Date.now()));
  }
}
