// The table of runs. Rows are updated in place, so that nothing jumps and the focus stays.
import {
  ago, element, hasEnded, howLong, isCancelling, moment, named, number, show, shown, stateOf, tasks,
} from "./text.js";
import { isLong, isSure, question } from "./asking.js";
import { hasFilter } from "./filter.js";

const table = document.getElementById("runs");
const body = table.tBodies[0];
const nothing = document.getElementById("nothing");
const summary = document.getElementById("summary");
const rowLimit = 500;
const rows = new Map();
let act = () => {};
let isSorting = false;

export const runs = new Map();
// The numbers of the selected runs.
export const selected = new Set();
const everyBox = document.getElementById("select-all");
let selectionChanged = () => {};
let lastBox = null;
let currentID = null;

// `action` acts on one run, and `selection` is called after a run was selected or a selected one
// has changed.
export function prepareRuns(action, selection) {
  act = action;
  selectionChanged = selection;
  everyBox.addEventListener("click", () => mark([...rows.keys()], everyBox.checked));
  setInterval(showTimes, 1000);
}

function mark(ids, isSelected) {
  for (const id of ids) {
    const row = rows.get(id);
    if (isSelected && row) selected.add(id);
    else selected.delete(id);
    if (!row) continue;
    row.box.checked = isSelected;
    row.line.classList.toggle("selected", isSelected);
  }
  showEvery();
  selectionChanged();
}

function showEvery() {
  everyBox.checked = selected.size > 0 && selected.size === rows.size;
  everyBox.indeterminate = selected.size > 0 && selected.size < rows.size;
}

export const unselect = (ids) => mark(ids, false);

// A click with the shift key selects all rows from the last click on.
function clickBox(row, withShift) {
  const order = [...body.children];
  const [from, to] = [order.indexOf(lastBox), order.indexOf(row.line)].sort((a, b) => a - b);
  const between = withShift && from >= 0 ? order.slice(from, to + 1) : [row.line];
  lastBox = row.line;
  mark(between.map((line) => Number(line.id.slice(4))), row.box.checked);
}

// Stores a run from the server, and returns its previous state.
export function takeRun(run) {
  const before = runs.get(run.id);
  // The answer to a cancellation may arrive after the event of the end.
  if (before && isEarlier(run, before)) return before;
  runs.set(run.id, run);
  fill(rows.get(run.id) ?? addRow(run), run);
  if (selected.has(run.id)) selectionChanged();
  if (!before || group(before) !== group(run)) sortSoon();
  return before;
}

const rank = (run) => (run.state === "queued" ? 0 : run.state === "running" ? 1 : 2);

function isEarlier(run, known) {
  if (rank(run) !== rank(known)) return rank(run) < rank(known);
  if (known.cancelRequestedAt !== null && run.cancelRequestedAt === null) return true;
  return rank(run) === 1 && run.tasksFinished < known.tasksFinished;
}

export function forgetRun(id) {
  rows.get(id)?.line.remove();
  rows.delete(id);
  runs.delete(id);
  if (selected.has(id)) unselect([id]);
  sortSoon();
}

export function clearRuns() {
  for (const id of [...runs.keys()]) forgetRun(id);
}

// Shows the server's totals in the headline, and in the title of a hidden tab.
export function showTotals(totals) {
  const all = Object.values(totals).reduce((sum, count) => sum + count, 0);
  const parts = ["running", "queued", "failed", "interrupted"]
    .filter((state) => totals[state] > 0)
    .map((state) => `${number(totals[state])} ${state}`);
  show(summary, all === 0 ? "" : [...parts, `${number(all)} in all`].join(" · "));
  const brief = [
    totals.running > 0 ? `${totals.running} running` : null, totals.failed > 0 ? `${totals.failed} failed` : null,
  ].filter(Boolean).join(", ");
  sortSoon();
  document.title = brief ? `${brief} – job-server` : "job-server";
}

// Marks the row of the open run, also if the row is added later.
export function select(id) {
  currentID = id;
  for (const [rowID, row] of rows) {
    if (rowID === id) row.line.setAttribute("aria-current", "true");
    else row.line.removeAttribute("aria-current");
  }
}

// Sorts runs: running ones first, longest first, then failed ones, then waiting ones, and then the
// rest, newest first.
const freshest = 10;
// A failure of an earlier day no longer comes before the runs that wait.
const failureTime = 86400000;
let failedIDs = new Set();

function group(run) {
  if (run.state === "running") return 0;
  if (failedIDs.has(run.id)) return 1;
  return run.state === "queued" ? 2 : 3;
}

function inOrder() {
  const all = [...runs.values()];
  const failed = all.filter((run) => run.state === "failed" && Date.now() - run.finishedAt < failureTime).sort((a, b) => b.id - a.id);
  failedIDs = new Set(failed.slice(0, freshest).map((run) => run.id));
  return all.sort((a, b) => {
    const difference = group(a) - group(b);
    if (difference !== 0) return difference;
    if (group(a) === 0) return a.startedAt - b.startedAt || a.id - b.id;
    return b.id - a.id;
  });
}

function sortSoon() {
  if (isSorting) return;
  isSorting = true;
  queueMicrotask(() => {
    isSorting = false;
    sort();
  });
}

function sort() {
  const order = inOrder();
  for (const run of order.slice(rowLimit)) {
    forgetRun(run.id);
  }
  let next = body.firstElementChild;
  for (const { id } of order.slice(0, rowLimit)) {
    const { line } = rows.get(id);
    if (line === next) {
      next = next.nextElementSibling;
    } else if (!line.contains(document.activeElement)) {
      // A moved row would lose the focus. Therefore, the focused row stays and the others move
      // around it.
      body.insertBefore(line, next);
    }
  }
  showEvery();
  nothing.hidden = runs.size > 0;
  show(nothing, hasFilter() ? "No runs match." : "No runs yet. Submit one above, and watch it here.");
  table.hidden = runs.size === 0;
}

function addRow(run) {
  const cell = (label, ...children) => element("td", { role: "cell", "data-label": label }, ...children);
  const row = {
    box: element("input", { type: "checkbox", "aria-label": `Select run ${run.id}` }),
    title: named("", { class: "title" }),
    kind: named(run.kind),
    note: element("span"),
    sign: element("span", { class: "sign", "aria-hidden": "true" }),
    word: element("span"),
    bar: element("progress", { max: "1" }),
    tasks: element("span", { class: "tasks" }),
    time: element("span"),
    ended: element("span", { class: "quiet ended" }),
    error: element("span", { class: "problem why", dir: "auto", hidden: true }),
    button: element("button", { type: "button" }),
    problem: element("p", { class: "problem refusal", role: "alert", hidden: true }),
  };
  row.state = element("span", { class: "state" }, row.sign, row.word);
  row.line = element(
    "tr", { role: "row", id: `row-${run.id}` },
    cell("Select", row.box),
    cell(
      "Run", element("a", { href: `#run-${run.id}` }, row.title),
      element("span", { class: "quiet note" }, `#${run.id} · `, row.kind, row.note), row.error,
    ),
    cell("State", row.state), cell("Progress", row.bar, row.tasks), cell("Time", row.time, row.ended),
    cell("Action", row.button, row.problem),
  );
  row.button.addEventListener("click", () => press(run.id));
  row.box.addEventListener("click", (event) => clickBox(row, event.shiftKey));
  if (run.id === currentID) row.line.setAttribute("aria-current", "true");
  rows.set(run.id, row);
  body.append(row.line);
  return row;
}

function fill(row, run) {
  show(row.title, shown(run.title));
  row.title.title = shown(run.title);
  const parts = [
    run.attempt > 1 ? `, attempt ${run.attempt}` : "", run.priority !== 0 ? `, priority ${run.priority}` : "",
  ];
  show(row.note, parts.join(""));
  row.line.dataset.state = run.state;
  const { sign, word } = stateOf(run);
  show(row.sign, sign);
  show(row.word, word);
  row.bar.value = run.progress;
  row.bar.setAttribute("aria-label", `Progress of run ${run.id}`);
  show(row.tasks, tasks(run));
  showTime(row, run);
  // Users look for the reason for a failure first.
  row.error.hidden = run.error === null;
  show(row.error, shown(run.error ?? ""));
  const verb = hasEnded(run) ? "Run again" : "Cancel";
  const words = question(row.button, verb) ?? verb;
  // One button serves both actions, so that the focus moves from Cancel to Run again when the run
  // ends.
  if (row.verb !== verb) {
    row.verb = verb;
    row.button.removeAttribute("aria-disabled");
    row.problem.hidden = true;
  }
  show(row.button, words);
  if (isCancelling(run)) row.button.setAttribute("aria-disabled", "true");
  row.button.setAttribute("aria-label", `${words}: run ${run.id}, ${shown(run.title)}`);
}

async function press(id) {
  const { button, problem } = rows.get(id);
  if (button.getAttribute("aria-disabled") === "true") return;
  const run = runs.get(id);
  if (isLong(run) && !isCancelling(run) && !isSure(button, "Cancel")) return;
  button.setAttribute("aria-disabled", "true");
  problem.hidden = true;
  const wasRunning = !hasEnded(runs.get(id));
  try {
    await act(id, wasRunning ? "cancel" : "run-again");
    // After an accepted cancellation, the button stays disabled until the run has ended.
    if (!wasRunning) button.removeAttribute("aria-disabled");
  } catch (refusal) {
    // The error is shown next to the button.
    problem.textContent = refusal.message;
    problem.hidden = false;
    button.removeAttribute("aria-disabled");
  }
}

function showTimes() {
  for (const [id, run] of runs) {
    showTime(rows.get(id), run);
  }
}

function showTime(row, run) {
  const now = Date.now();
  show(row.time, howLong(run, now));
  if (run.finishedAt === null) return;
  show(row.ended, `ended ${ago(run.finishedAt, now)}`);
  row.ended.title = moment(run.finishedAt);
}
