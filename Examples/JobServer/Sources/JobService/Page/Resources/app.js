// Connects the parts: events update the list and the details, and buttons send requests.
import { get, post, trouble } from "./api.js";
import { prepareBulk, showBulk, showSelection } from "./bulk.js";
import { deleteSoon, isLeaving, prepareDeletion } from "./deletion.js";
import { prepareDetail, open, refresh, reveal } from "./detail.js";
import { hasFilter, matches, prepareFilter, query } from "./filter.js";
import { limits, prepareForm } from "./form.js";
import { closeQueue, prepareQueue, showQueue } from "./queue.js";
import { clearRuns, forgetRun, prepareRuns, runs, select, showTotals, takeRun } from "./runs.js";
import { prepareSchedules, showSchedules } from "./schedules.js";
import { listen } from "./stream.js";
import { hasEnded, show, shown, states } from "./text.js";

const connection = document.getElementById("connection");
const announcement = document.getElementById("announcement");
const older = document.getElementById("older");
const pageSize = 100;
let isLoading = false;
let isOutdated = false;
let isFirst = true;
// The lowest number of the newest runs that were read. Older runs are requested from here.
let oldest = null;
let announced = 0;

const announce = (sentence) => show(announcement, sentence);

function take(message) {
  switch (message.type) {
    case "state":
      connection.dataset.state = message.state;
      show(connection, message.words);
      // The stream was already open when this tab joined it.
      if (message.isJoined) load();
      break;
    case "snapshot":
      for (const run of [...message.runs].reverse()) receive(run, true);
      load();
      refresh();
      break;
    case "run":
      receive(message.run, false);
      outdate();
      break;
    case "deleted":
      forgetRun(message.id);
      if (message.id === selectedID()) location.hash = "";
      outdate();
      break;
    case "queue":
      showQueue();
      refresh();
      break;
    case "refused":
      // If the session has ended, this request reloads the page, which shows the login form.
      get("/kinds").catch(() => null);
      break;
  }
}

// Reads the runs of the list. Without a filter, these are the running, the failed and the newest
// runs.
async function load() {
  if (isLoading) {
    isOutdated = true;
    return;
  }
  isLoading = true;
  try {
    do {
      isOutdated = false;
      const asked = query();
      const paths = hasFilter()
        ? [`/jobs?limit=${pageSize}&${asked}`]
        : ["/jobs?limit=200&state=running", "/jobs?limit=10&state=failed", `/jobs?limit=${pageSize}`];
      const lists = await Promise.all(paths.map(get));
      if (asked !== query()) {
        isOutdated = true;
        continue;
      }
      const list = lists.at(-1);
      const found = new Set(lists.flatMap((one) => one.runs.map((run) => run.id)));
      for (const one of lists) for (const run of [...one.runs].reverse()) receive(run, true);
      // Runs that are missing in the answer were deleted, or no longer match the filter.
      const least = list.runs.length < pageSize ? 0 : list.runs.at(-1).id;
      for (const id of [...runs.keys()]) if (id >= least && !found.has(id)) forgetRun(id);
      showTotals(list.totals);
      showQueue();
      older.hidden = list.runs.length < pageSize;
      oldest = list.runs.at(-1)?.id ?? null;
      showBulk(list.totals, older.hidden);
      showSchedules();
      // On a narrow screen, the run in the address is below the rows and therefore invisible.
      if (isFirst) reveal();
      isFirst = false;
    } while (isOutdated);
  } catch (problem) {
    announce(problem.message);
  } finally {
    isLoading = false;
  }
}

let due = null;

// Updates the totals and the filtered runs at most once a second.
function outdate() {
  due ??= setTimeout(() => {
    due = null;
    if (document.visibilityState === "visible") load();
  }, 1000);
}

// Checks for a failing database while an end is expected, and until the database works again.
const warning = document.getElementById("trouble");
setInterval(async () => {
  const isAwaited = !warning.hidden || [...runs.values()].some((run) => !hasEnded(run));
  if (!isAwaited || document.visibilityState !== "visible") return;
  try {
    const reason = await trouble();
    const words = `The database cannot be written: ${shown(reason ?? "")}. Runs continue; results will be saved when it recovers.`;
    if (reason !== null) show(warning, words);
    warning.hidden = reason === null;
  } catch {
    // The header already shows that the connection is lost.
  }
}, 3000);

function receive(run, isRead) {
  if (isLeaving(run.id)) return;
  const before = runs.get(run.id);
  if (!matches(run)) {
    if (before) forgetRun(run.id);
    if (run.id === selectedID()) refresh();
    return;
  }
  takeRun(run);
  if (run.id === selectedID()) refresh();
  if (!isRead && hasEnded(run) && before && !hasEnded(before)) announceEnd(run);
}

// If several runs end within a moment, announces the first end, and then their number.
let ends = 0;
function announceEnd(run) {
  ends += 1;
  if (Date.now() - announced < 3000) return;
  announced = Date.now();
  announce(`Run ${run.id}, ${shown(run.title)}, ${states[run.state].word}.`);
  const told = ends;
  setTimeout(() => {
    if (ends > told) announce(`${ends - told} more runs have ended.`);
    ends = 0;
  }, 3000);
}

async function act(id, verb) {
  const run = await post(`/jobs/${id}/${verb}`);
  receive(run, true);
  outdate();
  announce(verb === "cancel" ? `Run ${id} is being cancelled.` : `Run ${run.id} was submitted.`);
  return run;
}

function selectedID() {
  const match = /^#run-(\d+)$/.exec(location.hash);
  return match ? Number(match[1]) : null;
}

let lastID = null;

function follow(moves) {
  const id = selectedID();
  const leftID = lastID;
  lastID = id;
  document.body.classList.toggle("has-detail", id !== null);
  select(id);
  open(id, moves && id !== null);
  // When the details are closed, the focus returns to the link that opened them.
  if (moves && id === null && leftID !== null) {
    document.querySelector(`#row-${leftID} a`)?.focus();
  }
}

older.addEventListener("click", async () => {
  try {
    const page = (await get(`/jobs?limit=100&before=${oldest}&${query()}`)).runs;
    for (const run of page) receive(run, true);
    oldest = page.at(-1)?.id ?? oldest;
    older.hidden = page.length < 100;
    announce(`${page.length} older runs are shown.`);
    if (older.hidden && page.length > 0) document.querySelector(`#row-${page[0].id} a`)?.focus();
  } catch (problem) {
    announce(problem.message);
  }
});

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !closeQueue() && selectedID() !== null) location.hash = "";
});
window.addEventListener("hashchange", () => follow(true));
prepareRuns(act, showSelection);
prepareBulk(outdate);
prepareQueue(announce);
prepareDetail(act, (run) => {
  location.hash = "";
  follow(false);
  forgetRun(run.id);
  deleteSoon(run);
}, forgetRun);
prepareDeletion((run) => {
  receive(run, true);
  outdate();
});
// On a phone, the form and the filter are closed, so that the first run is on the first screen.
const narrow = matchMedia("(max-width: 44rem)");
const fold = () => {
  document.getElementById("new-run").open = !narrow.matches;
  document.getElementById("filter-fold").open = !narrow.matches || hasFilter();
};
narrow.addEventListener("change", fold);
fold();
prepareSchedules(announce);
prepareForm((run, isNew) => {
  receive(run, true);
  outdate();
  if (isNew) announce(`Run ${run.id}, ${shown(run.title)}, was submitted.`);
})
  .then((kinds) => {
    show(document.getElementById("version"), limits.version);
    showQueue();
    prepareFilter(kinds, () => {
      clearRuns();
      load();
    });
  })
  .catch((problem) => announce(problem.message));
listen(take);
follow(false);
