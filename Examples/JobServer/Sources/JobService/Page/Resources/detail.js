// One run in detail: what it waits for, its tasks, its result, its error and its timeline.
import { get, text } from "./api.js";
import { element, hasEnded, moment, number, states, tasks } from "./text.js";

const panel = document.getElementById("detail");
const parts = {};
let shownID = null;
let asked = 0;
let loading = false;
let drawnAt = 0;

// Opens a run, and moves to it if a person asked for it.
export async function open(id, moves) {
  if (id === null) {
    shownID = null;
    panel.hidden = true;
    return;
  }
  if (id !== shownID) {
    shownID = id;
    drawnAt = 0;
    build(id);
  }
  panel.hidden = false;
  if (moves) {
    parts.heading.focus({ preventScroll: true });
    panel.scrollIntoView({ block: "start" });
  }
  await refresh();
}

// Reads the run again; several wishes while one is read are one.
export async function refresh() {
  if (shownID === null) return;
  asked += 1;
  if (loading) return;
  loading = true;
  try {
    while (asked > 0 && shownID !== null) {
      asked = 0;
      await load(shownID);
      await new Promise((resume) => setTimeout(resume, 500));
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
    return;
  }
  if (id !== shownID) return;
  fill(run);
  const isDue = hasEnded(run) ? drawnAt !== Infinity : Date.now() - drawnAt > 3000;
  if (isDue && run.startedAt !== null) await draw(run);
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
  parts.facts = element("dl", { class: "facts" });
  panel.append(element("div", { class: "headline" }, parts.heading, close), parts.facts);
  parts.error = element("p", { class: "problem box" });
  parts.errorSection = section("Error", parts.error);
  parts.stall = element("ul", { class: "stall" });
  parts.stallSection = section("What it waits for", parts.stall);
  parts.tree = element("div");
  parts.treeSection = section("Unfinished tasks", parts.tree);
  parts.timeline = element("div", {
    class: "timeline", tabindex: "0", role: "region", "aria-label": "Timeline, scrolls sideways",
  });
  const trace = element("a", { href: `/jobs/${id}/timeline.json`, download: `run-${id}.json` }, "trace");
  const picture = element("a", { href: `/jobs/${id}/timeline.svg` }, "picture");
  const links = element(
    "p", { class: "quiet" }, "As a ", picture, " of its own, or as a ", trace, " for ",
    element("a", { href: "https://ui.perfetto.dev", rel: "noreferrer" }, "Perfetto"), ".",
  );
  parts.timelineSection = section("Timeline", parts.timeline, links);
  parts.result = element("div", { class: "result" });
  parts.resultSection = section("Result", parts.result);
}

function fillProblem(sentence) {
  parts.errorSection.hidden = false;
  parts.error.textContent = sentence;
}

function fill(run) {
  if (parts.heading.textContent !== run.title) parts.heading.textContent = run.title;
  const facts = [
    ["State", `${states[run.state].sign} ${states[run.state].word}`],
    ["Tasks", tasks(run) || "–"],
    ["Submitted", moment(run.submittedAt)],
    ["Started", moment(run.startedAt)],
    ["Ended", moment(run.finishedAt)],
    ["Run", `#${run.id}, ${run.kind}`],
    ...(run.previousID === null ? [] : [["Repeats", run.previousID]]),
    ...Object.entries(run.parameters).filter(([, value]) => value !== null),
  ];
  parts.facts.replaceChildren(...facts.map(([name, value]) => element(
    "div", {}, element("dt", {}, name),
    element("dd", {}, name === "Repeats" ? element("a", { href: `#run-${value}` }, `#${value}`) : plain(value)),
  )));
  parts.errorSection.hidden = run.error === null;
  parts.error.textContent = run.error ?? "";
  parts.stallSection.hidden = run.stall === null;
  if (run.stall !== null) parts.stall.replaceChildren(...folded(run.stall).map((line) => element("li", {}, line)));
  parts.treeSection.hidden = run.tasks === null || run.tasks.unfinished.length + run.tasks.omittedCount === 0;
  if (run.tasks !== null) parts.tree.replaceChildren(tree(run.tasks));
  parts.resultSection.hidden = run.result === null;
  if (run.result !== null && parts.result.childElementCount === 0) parts.result.replaceChildren(value(run.result));
}

const plain = (value) => (typeof value === "object" ? JSON.stringify(value) : String(value));

// Lines that say the same of different tasks become one.
export function folded(stall) {
  const groups = new Map();
  // The first line is the run's own.
  const [head, ...lines] = stall.split("\n");
  for (const line of lines) {
    const colon = line.indexOf(": ");
    const [name, rest] = colon < 0 ? [line, ""] : [line.slice(0, colon), line.slice(colon)];
    const group = groups.get(rest);
    if (group && rest !== "") group.count += 1;
    else groups.set(rest === "" ? line : rest, { name, rest, count: 1 });
  }
  const told = [...groups.values()].map(({ name, rest, count }) =>
    count === 1 ? name + rest : `${name} and ${number(count - 1)} more${rest}`);
  return [head, ...told];
}

function tree(job) {
  const items = job.unfinished.map((task) => element(
    "li", {}, task.name, " ", element("span", { class: "quiet" }, said(task)),
    task.unfinished.length + task.omittedCount > 0 ? tree(task) : null,
  ));
  if (job.omittedCount > 0) {
    items.push(element("li", { class: "quiet" }, `and ${number(job.omittedCount)} more`));
  }
  return element("ul", {}, ...items);
}

function said(task) {
  if (task.trackedCount === 0) return task.state;
  return `${task.state}, ${number(task.finishedCount)} of ${number(task.trackedCount)} tasks`;
}

const shownItems = 100;

// A result as lists that open; whatever a kind of job returns.
function value(result) {
  if (Array.isArray(result)) {
    const items = result.slice(0, shownItems).map((item) => element("li", {}, value(item)));
    if (result.length > shownItems) {
      items.push(element("li", { class: "quiet" }, `and ${number(result.length - shownItems)} more`));
    }
    return element("ol", {}, ...items);
  }
  if (result !== null && typeof result === "object") {
    return element("dl", { class: "values" }, ...Object.entries(result).map(([name, item]) => member(name, item)));
  }
  return element("span", {}, typeof result === "number" ? number(result) : String(result));
}

function member(name, item) {
  const isList = Array.isArray(item) && item.length > 0 && !(item.length < 8 && item.every((one) => typeof one !== "object"));
  if (!isList) return element("div", {}, element("dt", {}, name), element("dd", {}, Array.isArray(item) && item.length === 0 ? "none" : value(item)));
  const details = element("details", {}, element("summary", {}, `${name} (${number(item.length)})`));
  // A long list is made when somebody opens it.
  details.addEventListener("toggle", () => {
    if (details.open && details.childElementCount === 1) details.append(value(item));
  });
  return element("div", {}, details);
}

async function draw(run) {
  const ended = hasEnded(run);
  drawnAt = ended ? Infinity : Date.now();
  const svg = await text(`/jobs/${run.id}/timeline.svg`).catch(() => null);
  if (run.id !== shownID) return;
  parts.timelineSection.hidden = svg === null;
  if (svg === null) return;
  // The page's own style sheet has the same rules; a second one would be refused, and reported.
  const bare = svg.replace(/<style[^>]*>[\s\S]*?<\/style>/, "");
  const picture = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  picture.setAttribute("aria-label", `Timeline of run ${run.id}`);
  const { scrollLeft } = parts.timeline;
  parts.timeline.replaceChildren(document.importNode(picture, true));
  parts.timeline.scrollLeft = scrollLeft;
}
