// Actions for several runs: those that a person has selected, or all that a filter by state selects.
import { get, post, remove } from "./api.js";
import { isSure, question } from "./asking.js";
import { filter, query } from "./filter.js";
import { runs, selected, unselect } from "./runs.js";
import { hasEnded, isCancelling, number, show } from "./text.js";

const bulk = document.getElementById("bulk");
const bar = document.getElementById("selection");
const [cancelling, repeating, deleting, clearing] = bar.querySelectorAll("button");
const done = document.getElementById("bulk-done");
const verbs = { queued: "Cancel", running: "Cancel", failed: "Run again", interrupted: "Run again" };
// The request and the words of each action.
const actions = {
  Cancel: { send: (id) => post(`/jobs/${id}/cancel`), one: "is being cancelled", many: "are being cancelled" },
  "Run again": { send: (id) => post(`/jobs/${id}/run-again`), one: "was submitted again", many: "were submitted again" },
  Delete: { send: (id) => remove(`/jobs/${id}`), one: "was deleted", many: "were deleted" },
};
let changed = () => {};

// `change` reads the list again after an action.
export function prepareBulk(change) {
  changed = change;
  cancelling.addEventListener("click", () => press(cancelling, "Cancel", mayCancel));
  repeating.addEventListener("click", () => press(repeating, "Run again", hasEnded));
  deleting.addEventListener("click", () => press(deleting, "Delete", hasEnded));
  clearing.addEventListener("click", () => {
    unselect([...selected]);
    leaveBar();
  });
}

const mayCancel = (run) => !hasEnded(run) && !isCancelling(run);
const chosen = () => [...selected].map((id) => runs.get(id)).filter(Boolean);
const counted = (count) => `${number(count)} run${count === 1 ? "" : "s"}`;

// Shows the actions for the selected runs, of which some may have ended since.
export function showSelection() {
  const all = chosen();
  const [open, ended] = [all.filter(mayCancel).length, all.filter(hasEnded).length];
  bar.hidden = all.length === 0;
  if (bar.hidden) return;
  // The result of the last action is old now.
  show(done, "");
  show(bar.querySelector("span"), `${number(all.length)} selected`);
  label(cancelling, "Cancel", open, `Cancel ${number(open)}`);
  label(repeating, "Run again", ended, `Run ${number(ended)} again`);
  label(deleting, "Delete", ended, `Delete ${number(ended)}`);
}

function label(button, verb, count, words) {
  button.hidden = count === 0;
  if (button.getAttribute("aria-disabled") !== "true") show(button, question(button, verb) ?? words);
}

// The focus must not be lost with a bar that disappears.
function leaveBar() {
  showSelection();
  if (bar.hidden) document.getElementById("runs-heading").focus({ preventScroll: true });
}

async function press(button, verb, may) {
  if (button.getAttribute("aria-disabled") === "true") return;
  if (!isSure(button, verb, `${button.textContent}, really?`)) return;
  await perform(button, verb, async () => chosen().filter(may).map(({ id }) => id));
  unselect([...selected]);
  leaveBar();
}

// Sends one request for each run, and shows how many were refused and why.
async function perform(button, verb, list) {
  button.setAttribute("aria-disabled", "true");
  show(done, "");
  let [taken, refused, reason] = [0, 0, ""];
  try {
    const ids = (await list()).sort((a, b) => a - b);
    // The last submitted run is cancelled first. Otherwise, each cancellation would start another run.
    for (const id of verb === "Cancel" ? ids.reverse() : ids) {
      await actions[verb].send(id).then(
        () => { taken += 1; },
        (problem) => {
          refused += 1;
          reason ||= problem.message;
        },
      );
      if (ids.length > 20) show(button, `${number(taken + refused)} of ${number(ids.length)}`);
    }
    const words = `${counted(taken)} ${taken === 1 ? actions[verb].one : actions[verb].many}`;
    const refusals = `${number(refused)} refused: ${reason}`;
    show(done, refused === 0 ? `${words}.` : taken === 0 ? refusals : `${words}, ${refusals}`);
  } catch (problem) {
    show(done, problem.message);
  } finally {
    button.removeAttribute("aria-disabled");
    changed();
  }
}

// The action for all runs that a filter by state selects, also those that are not shown.
export function showBulk(totals, isWholeListShown) {
  const verb = verbs[filter.state];
  const isFocused = document.activeElement === bulk;
  bulk.hidden = verb === undefined || runs.size === 0;
  if (bulk.hidden && isFocused) document.getElementById("runs-heading").focus({ preventScroll: true });
  if (bulk.hidden) return;
  const isWhole = filter.kind === "" && filter.text === "";
  const count = isWhole ? number(totals[filter.state] ?? 0) : isWholeListShown ? number(runs.size) : null;
  const what = count === "1" ? "this run" : `all${count === null ? "" : ` ${count}`} ${filter.state} runs${isWhole ? "" : " of this filter"}`;
  const words = verb === "Cancel" ? `Cancel ${what}` : `Run ${what} again`;
  if (bulk.getAttribute("aria-disabled") !== "true") show(bulk, question(bulk, verb) ?? words);
}

bulk.addEventListener("click", async () => {
  const verb = verbs[filter.state];
  if (bulk.getAttribute("aria-disabled") === "true") return;
  if (!isSure(bulk, verb, `${bulk.textContent}, really?`)) return;
  await perform(bulk, verb, async () => {
    const ids = [];
    for (let before = ""; ;) {
      const page = (await get(`/jobs?limit=500${before}&${query()}`)).runs;
      ids.push(...page.map((run) => run.id));
      if (page.length < 500) return ids;
      before = `&before=${ids.at(-1)}`;
    }
  });
});
