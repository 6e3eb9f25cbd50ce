// The details of one run: first its state, failures and obstacles, then the rest.
import { get, post, text } from "./api.js";
import { isLong, isSure, question } from "./asking.js";
import { kindNamed, pageKey } from "./form.js";
import { value } from "./result.js";
import { explained } from "./stall.js";
import {
  element, hasEnded, howLong, isCancelling, moment, named, number, show, shown, stateOf, tasks,
} from "./text.js";
import { timelinePanel } from "./timeline.js";

const panel = document.getElementById("detail");
const parts = {};
let act = () => {};
let erase = () => {};
let gone = () => {};
let shownID = null;
let shownRun = null;
let asked = 0;
let loading = false;
let drawnAt = 0;

// `action` acts on a run, `deletion` deletes one, and `missing` is called for an unknown number.
export function prepareDetail(action, deletion, missing) {
  act = action;
  erase = deletion;
  gone = missing;
  // A run without events is still waiting, but perhaps for another reason than before.
  setInterval(() => {
    if (shownRun !== null && !hasEnded(shownRun) && document.visibilityState === "visible") refresh();
  }, 2000);
}

// Opens a run, and moves to it if the user opened it.
export async function open(id, moves) {
  if (id === null) {
    [shownID, shownRun] = [null, null];
    panel.hidden = true;
    return;
  }
  if (id !== shownID) {
    [shownID, shownRun, drawnAt] = [id, null, 0];
    build(id);
  }
  panel.hidden = false;
  if (moves) parts.heading.focus({ preventScroll: true });
  const isBelow = panel.getBoundingClientRect().top > innerHeight / 2;
  if (moves && isBelow) panel.scrollIntoView({ block: "start" });
  await refresh();
  // If it is below the table, only now does it have its full height.
  if (moves && isBelow && shownID === id) panel.scrollIntoView({ block: "start" });
}

// Scrolls to the open run below the table until it has its height or the user scrolls.
let isRevealing = false;
for (const kind of ["wheel", "touchmove", "keydown"]) document.addEventListener(kind, () => { isRevealing = false; }, { passive: true });

export function reveal() {
  isRevealing = shownID !== null;
  bringUp();
}

function bringUp() {
  if (isRevealing && panel.getBoundingClientRect().top > innerHeight / 2) panel.scrollIntoView({ block: "start" });
}

// Reads the run again. Requests during a reading are combined.
export async function refresh() {
  if (shownID === null) return;
  asked += 1;
  if (loading) return;
  loading = true;
  try {
    while (asked > 0 && shownID !== null) {
      asked = 0;
      const id = shownID;
      await load(id);
      await new Promise((resume) => setTimeout(resume, id === shownID ? 1000 : 0));
    }
  } finally {
    loading = false;
  }
}

async function load(id) {
  let run;
  try {
    run = await get(`/jobs/${id}`);
  } catch (problem) {
    if (id === shownID) fillProblem(problem.message);
    if (problem.status === 404) gone(id);
    return;
  }
  if (id !== shownID) return;
  shownRun = run;
  fill(run);
  bringUp();
  const isDue = hasEnded(run) ? drawnAt !== Infinity : Date.now() - drawnAt > 5000;
  if (isDue && run.startedAt !== null) await draw(run);
  bringUp();
  isRevealing = false;
}

function build(id) {
  const section = (title, ...children) => {
    const made = element("section", { hidden: true }, element("h3", {}, title), ...children);
    panel.append(made);
    return made;
  };
  panel.replaceChildren();
  parts.heading = element("h2", { id: "detail-heading", tabindex: "-1" }, `Run ${id}`);
  const close = element("a", { href: "#", class: "close" }, "Close");
  parts.state = element("p", { class: "state big" });
  parts.button = element("button", { type: "button", hidden: true });
  parts.deletion = element("button", { type: "button", class: "delete", hidden: true }, "Delete");
  parts.refusal = element("p", { class: "problem refusal", role: "alert", hidden: true });
  parts.button.addEventListener("click", () => press(id));
  parts.deletion.addEventListener("click", () => erase(shownRun));
  parts.priority = element("input", { id: "detail-priority", inputmode: "numeric", autocomplete: "off" });
  parts.priorityForm = element(
    "form", { class: "priority", hidden: true }, element("label", { for: "detail-priority" }, "Priority"), parts.priority,
    element("button", { type: "submit" }, "Change"),
  );
  parts.priorityForm.addEventListener("submit", (event) => {
    event.preventDefault();
    prioritize(id);
  });
  panel.append(
    element("div", { class: "headline" }, parts.heading, close),
    element("div", { class: "actions" }, parts.state, parts.button, parts.priorityForm, parts.deletion), parts.refusal,
  );
  parts.error = element("p", { class: "problem box" });
  parts.errorSection = section("Error", parts.error);
  parts.failures = element("ol", { class: "failures" });
  parts.failuresSection = section("Failed tasks", parts.failures);
  parts.stall = element("ul", { class: "stall" });
  parts.stallSection = section("What it waits for", parts.stall);
  parts.facts = element("dl", { class: "facts" });
  panel.append(parts.facts);
  parts.result = element("div", { class: "result" });
  parts.resultSection = section("Result", parts.result);
  parts.tree = element("div", { class: "tree", tabindex: "0", role: "region", "aria-label": "Unfinished tasks" });
  parts.treeSection = section("Unfinished tasks", parts.tree);
  parts.timeline = timelinePanel();
  const trace = element("a", { href: `/jobs/${id}/timeline.json`, download: `run-${id}.json` }, "Download trace");
  const picture = element("a", { href: `/jobs/${id}/timeline.svg` }, "Open as SVG");
  const links = element(
    "p", { class: "quiet" }, picture, " · ", trace, " for ",
    element("a", { href: "https://ui.perfetto.dev", rel: "noreferrer" }, "Perfetto"),
  );
  parts.timelineSection = section("Timeline", parts.timeline.panel, parts.timeline.note, links);
}

async function press(id) {
  const isAgain = hasEnded(shownRun);
  if (!isAgain && isLong(shownRun) && !isSure(parts.button, "Cancel")) return;
  await refused(parts.button, async () => {
    const run = await act(id, isAgain ? "run-again" : "cancel");
    if (isAgain) location.hash = `#run-${run.id}`;
    else refresh();
  });
}

async function prioritize(id) {
  const words = parts.priority.value.trim();
  await refused(parts.priorityForm.querySelector("button"), async () => {
    await post(`/jobs/${id}/prioritize`, { priority: /^-?\d+$/.test(words) ? Number(words) : words });
    parts.priority.blur();
    refresh();
  });
}

// Performs the action of a button, and shows an error below it.
async function refused(button, body) {
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  parts.refusal.hidden = true;
  try {
    await body();
  } catch (problem) {
    parts.refusal.textContent = problem.message;
    parts.refusal.hidden = false;
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

function fillProblem(sentence) {
  parts.errorSection.hidden = false;
  show(parts.error, sentence);
}

// Keeps a list unchanged while the user reads it: under the pointer, selected, or scrolled.
function isHeld(list) {
  const selection = getSelection();
  const isSelected = !selection.isCollapsed && list.contains(selection.anchorNode);
  return list.childElementCount > 0 && (list.matches(":hover") || isSelected || list.scrollTop > 0);
}

function fill(run) {
  show(parts.heading, shown(run.title));
  parts.heading.dir = "auto";
  const { sign, word } = stateOf(run);
  panel.dataset.state = run.state;
  show(parts.state, `${sign} ${word}${run.startedAt === null ? "" : `, ${howLong(run, Date.now())}`}`);
  parts.button.hidden = false;
  const verb = hasEnded(run) ? "Run again" : "Cancel";
  show(parts.button, question(parts.button, verb) ?? verb);
  parts.button.toggleAttribute("disabled", isCancelling(run));
  parts.deletion.hidden = !hasEnded(run);
  parts.priorityForm.hidden = run.state !== "queued";
  if (!parts.priorityForm.contains(document.activeElement)) parts.priority.value = run.priority;
  parts.errorSection.hidden = run.error === null;
  show(parts.error, shown(run.error ?? ""));
  parts.failuresSection.hidden = run.failures.length === 0;
  patch(parts.failures, run.failures.map(({ name, error }) => `${shown(name)}: ${shown(error)}`));
  if (run.tasksFailed > run.failures.length && run.failures.length > 0) {
    patch(parts.failures, [...parts.failures.children].map((item) => item.textContent)
      .concat(`and ${number(run.tasksFailed - run.failures.length)} more`));
  }
  parts.stallSection.hidden = run.stall === null;
  if (run.stall !== null && !isHeld(parts.stall)) patch(parts.stall, explained(run.stall, run.permits));
  fillFacts(run);
  parts.treeSection.hidden = run.tasks === null || run.tasks.unfinished.length + run.tasks.omittedCount === 0;
  if (run.tasks !== null && !isHeld(parts.tree)) {
    if (parts.tree.childElementCount === 0) parts.tree.append(element("ul"));
    patchTree(parts.tree.firstElementChild, run.tasks);
  }
  parts.resultSection.hidden = run.result === null;
  if (run.result !== null && parts.result.childElementCount === 0) parts.result.replaceChildren(value(run.result));
}

function fillFacts(run) {
  const kind = kindNamed(run.kind);
  const label = (name) => kind?.fields.find((field) => field.name === name)?.label ?? name;
  const facts = [
    ...(run.startedAt === null ? [] : [["Tasks", tasks(run)]]),
    ...(run.knownSteps === null ? [] : [["Resumed", `${number(run.knownSteps)} steps already done`]]),
    ["Submitted", moment(run.submittedAt)],
    ...(run.runAt === null ? [] : [["Scheduled for", moment(run.runAt)]]),
    ...(run.startedAt === null ? [] : [["Started", moment(run.startedAt)]]),
    ...(run.cancelRequestedAt === null ? [] : [["Cancel requested", moment(run.cancelRequestedAt)]]),
    ...(run.finishedAt === null ? [] : [["Ended", moment(run.finishedAt)]]),
    ["Run", `#${run.id}, ${run.kind}${run.attempt > 1 ? `, attempt ${run.attempt}` : ""}`],
    ...(run.priority === 0 ? [] : [["Priority", run.priority]]),
    ...(run.key === null || run.key.startsWith(pageKey) ? [] : [["Key", run.key]]),
    ...(run.previousID === null ? [] : [["Rerun of", run.previousID]]),
    ...(run.nextID === null ? [] : [["Followed by", run.nextID]]),
    ...Object.entries(run.parameters).filter(([, item]) => item !== null).map(([name, item]) => [label(name), item]),
  ];
  const old = [...parts.facts.children];
  facts.forEach(([name, item], place) => {
    const fact = old[place] ?? element("div", {}, element("dt"), element("dd", { dir: "auto" }));
    if (!old[place]) parts.facts.append(fact);
    const [term, data] = fact.children;
    show(term, shown(name));
    if (name === "Rerun of" || name === "Followed by") {
      if (data.textContent !== `#${item}`) data.replaceChildren(element("a", { href: `#run-${item}` }, `#${item}`));
    } else {
      const words = typeof item === "boolean" ? (item ? "yes" : "no") : item;
      show(data, shown(typeof words === "object" ? JSON.stringify(words) : typeof words === "number" ? number(words) : words));
    }
    fact.classList.toggle("wide", data.textContent.length > 24);
  });
  for (const fact of old.slice(facts.length)) fact.remove();
}

// Updates only the changed texts of a list.
function patch(list, lines) {
  lines.forEach((line, place) => {
    const item = list.children[place] ?? list.appendChild(element("li", { dir: "auto" }));
    show(item, line);
  });
  while (list.childElementCount > lines.length) list.lastElementChild.remove();
}

// Updates a tree of tasks by their numbers, so that unfinished tasks keep their positions.
function patchTree(list, job) {
  const known = new Map([...list.children].filter((item) => item.dataset.id).map((item) => [item.dataset.id, item]));
  let next = list.firstElementChild;
  // Skips tasks that ended while the list was created.
  for (const task of job.unfinished.filter(({ state }) => state === "waiting" || state === "executing")) {
    let item = known.get(String(task.id));
    known.delete(String(task.id));
    if (!item) item = element("li", { "data-id": task.id }, named(task.name), " ", element("span", { class: "quiet" }));
    if (item === next) next = next.nextElementSibling;
    else list.insertBefore(item, next);
    show(item.children[1], said(task));
    const hasTasks = task.unfinished.length + task.omittedCount > 0;
    if (hasTasks && item.children.length < 3) item.append(element("ul"));
    if (hasTasks) patchTree(item.children[2], task);
    else item.children[2]?.remove();
  }
  for (const item of known.values()) item.remove();
  let more = [...list.children].find((item) => !item.dataset.id);
  if (job.omittedCount === 0) {
    more?.remove();
    return;
  }
  more ??= element("li", { class: "quiet" });
  list.append(more);
  show(more, `and ${number(job.omittedCount)} more`);
}

function said(task) {
  if (task.trackedCount === 0) return task.state;
  return `${task.state}, ${number(task.finishedCount)} of ${number(task.trackedCount)} tasks`;
}

async function draw(run) {
  drawnAt = hasEnded(run) ? Infinity : Date.now();
  const svg = await text(`/jobs/${run.id}/timeline.svg`).catch(() => null);
  if (run.id !== shownID) return;
  // Shown first, because a hidden panel has no width.
  parts.timelineSection.hidden = svg === null;
  if (svg !== null) parts.timelineSection.hidden = !parts.timeline.show(svg, `Timeline of run ${run.id}`);
}
