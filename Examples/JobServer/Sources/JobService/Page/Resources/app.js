// Joins the parts: events come in, the table and the detail change, buttons go out.
import { get, post } from "./api.js";
import { open, refresh } from "./detail.js";
import { prepareForm } from "./form.js";
import { forgetRun, prepareRuns, runs, select, showSummary, takeRun } from "./runs.js";
import { hasEnded, show, states } from "./text.js";

const connection = document.getElementById("connection");
const announcement = document.getElementById("announcement");
const older = document.getElementById("older");
let source = null;
let wasLost = false;

function showConnection(state, words) {
  connection.dataset.state = state;
  show(connection, words);
}

const announce = (sentence) => show(announcement, sentence);

function connect() {
  source?.close();
  source = new EventSource("/events");
  source.addEventListener("snapshot", async (event) => {
    showConnection("live", "live");
    const newest = JSON.parse(event.data);
    for (const run of [...newest].reverse()) receive(run, !wasLost);
    if (newest.length === 50 && runs.size <= 50) older.hidden = false;
    showSummary();
    if (wasLost) await catchUp(newest);
    wasLost = false;
    refresh();
  });
  source.addEventListener("run", (event) => receive(JSON.parse(event.data), false));
  source.addEventListener("bye", () => showConnection("stopping", "stopping"));
  source.addEventListener("error", () => {
    wasLost = true;
    if (connection.dataset.state !== "stopping" || source.readyState === EventSource.CLOSED) {
      showConnection("lost", "lost, trying again");
    }
    // A browser tries again by itself, but not after an answer that is no stream.
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 2000);
  });
}

// Reads again what is shown and may have changed while nobody told it.
async function catchUp(newest) {
  const told = new Set(newest.map((run) => run.id));
  const left = [...runs.keys()].filter((id) => !told.has(id)).sort((a, b) => b - a);
  if (left.length === 0) return;
  try {
    let before = left[0] + 1;
    const found = new Set();
    while (before > left.at(-1)) {
      const page = (await get(`/jobs?limit=500&before=${before}`)).runs;
      for (const run of page) {
        if (run.id < left.at(-1)) break;
        found.add(run.id);
        receive(run, false);
      }
      if (page.length === 0) break;
      before = page.at(-1).id;
    }
    for (const id of left) if (!found.has(id)) forgetRun(id);
  } catch {
    // The next connection tries again.
  }
}

function receive(run, isFirst) {
  const before = takeRun(run);
  if (run.id === selectedID()) refresh();
  if (!isFirst && hasEnded(run) && before && !hasEnded(before)) {
    announce(`Run ${run.id}, ${run.title}, ${states[run.state].word}.`);
  }
}

async function act(id, verb) {
  try {
    const run = await post(`/jobs/${id}/${verb}`);
    receive(run, false);
    announce(verb === "cancel" ? `Run ${id} is being cancelled.` : `Run ${run.id} was submitted.`);
    return true;
  } catch (problem) {
    announce(problem.message);
    return false;
  }
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
  select(id);
  open(id, moves && id !== null);
  // Closing the detail leads back to where it was opened.
  if (moves && id === null && leftID !== null) {
    document.querySelector(`#row-${leftID} a`)?.focus();
  }
}

older.addEventListener("click", async () => {
  const least = Math.min(...runs.keys());
  try {
    const page = (await get(`/jobs?limit=100&before=${least}`)).runs;
    for (const run of page) receive(run, true);
    older.hidden = page.length < 100;
    announce(`${page.length} older runs are shown.`);
    if (older.hidden && page.length > 0) document.querySelector(`#row-${page[0].id} a`)?.focus();
  } catch (problem) {
    announce(problem.message);
  }
});

window.addEventListener("hashchange", () => follow(true));
prepareRuns(act);
prepareForm((run) => {
  receive(run, false);
  announce(`Run ${run.id}, ${run.title}, was submitted.`);
}).catch((problem) => announce(problem.message));
connect();
follow(false);
