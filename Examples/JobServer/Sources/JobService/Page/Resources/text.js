// Words and numbers of the page.

export const states = {
  queued: { sign: "◷", word: "queued" },
  running: { sign: "▶", word: "running" },
  cancelling: { sign: "◌", word: "cancelling" },
  succeeded: { sign: "✓", word: "succeeded" },
  failed: { sign: "✗", word: "failed" },
  cancelled: { sign: "⊘", word: "cancelled" },
  interrupted: { sign: "‖", word: "interrupted" },
};

export const hasEnded = (run) => run.state !== "queued" && run.state !== "running";
export const isCancelling = (run) => !hasEnded(run) && run.cancelRequestedAt !== null;
export const stateOf = (run) => states[isCancelling(run) ? "cancelling" : run.state];

const numbers = new Intl.NumberFormat("en");
export const number = (value) => numbers.format(value);

export function tasks(run) {
  if (run.tasksTracked === 0) return run.state === "queued" ? "" : "no tasks";
  const noun = run.tasksTracked === 1 ? "task" : "tasks";
  const text = `${number(run.tasksFinished)} of ${number(run.tasksTracked)} ${noun}`;
  return run.tasksFailed > 0 ? `${text}, ${number(run.tasksFailed)} failed` : text;
}

// A number and its unit, which a line never separates.
const measured = (value, unit) => `${value}\u00a0${unit}`;

export function length(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 0.1) return measured(Math.round(seconds * 1000), "ms");
  if (seconds < 10) return measured(seconds.toFixed(1), "s");
  if (seconds < 60) return measured(Math.floor(seconds), "s");
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${measured(minutes, "min")} ${measured(Math.floor(seconds % 60), "s")}`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${measured(hours, "h")} ${measured(minutes % 60, "min")}`;
  return measured(Math.floor(hours / 24), "days");
}

export function howLong(run, now) {
  if (run.state === "queued") {
    if (run.runAt !== null && run.runAt > now) return `starts in ${length(run.runAt - now)}`;
    return `waiting ${length(now - run.submittedAt)}`;
  }
  if (run.startedAt === null) return "never started";
  return length((run.finishedAt ?? now) - run.startedAt);
}

// A distance in one unit, because nobody needs the seconds of an end of hours ago.
export function ago(then, now) {
  const seconds = Math.floor((now - then) / 1000);
  if (seconds < 1) return "now";
  const [value, unit] = seconds < 60 ? [seconds, "s"] : seconds < 3600 ? [seconds / 60, "min"]
    : seconds < 172800 ? [seconds / 3600, "h"] : [seconds / 86400, "days"];
  return `${measured(Math.floor(value), unit)}\u00a0ago`;
}

const clock = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
export const moment = (milliseconds) =>
  milliseconds === null ? "–" : clock.format(new Date(milliseconds));

// Replaces invisible characters, and those that change the writing direction, by their code points.
const hiddenOnes = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/gu;
export const shown = (text) =>
  String(text).replace(hiddenOnes, (one) => `\\u{${one.codePointAt(0).toString(16)}}`);

// Creates an element. Text is never interpreted as HTML.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === null || value === false) continue;
    made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

// Isolates the writing direction of a name from another source.
export const named = (text, attributes = {}) => element("bdi", attributes, shown(text));

// Changes a text only if it differs, so that screen readers do not repeat it.
export function show(node, text) {
  if (node.textContent !== text) node.textContent = text;
}
