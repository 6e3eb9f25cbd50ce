// Deletes runs after some seconds in which the user can change their mind.
import { remove } from "./api.js";
import { element, shown } from "./text.js";

const patience = 5000;
const bar = document.getElementById("undo");
// The runs that were deleted here. Their numbers are not used again.
const hidden = new Set();
let leaving = null;
let returned = () => {};

// `returned` shows a run again if its deletion was undone or refused.
export function prepareDeletion(shows) {
  returned = shows;
  // A page that is closed keeps its promise.
  window.addEventListener("pagehide", () => finish());
}

// Whether a run is about to be deleted, and is therefore not shown.
export const isLeaving = (id) => hidden.has(id);

export function deleteSoon(run) {
  finish();
  const undo = element("button", { type: "button" }, "Undo");
  hidden.add(run.id);
  leaving = { run, due: setTimeout(finish, patience) };
  undo.addEventListener("click", () => {
    clearTimeout(leaving?.due);
    leaving = null;
    bar.hidden = true;
    hidden.delete(run.id);
    returned(run);
    // The table is visible again after the next microtask.
    setTimeout(() => document.querySelector(`#row-${run.id} a`)?.focus());
  });
  bar.replaceChildren(element("span", {}, `Run ${run.id}, ${shown(run.title)}, was deleted.`), undo);
  bar.hidden = false;
  undo.focus({ preventScroll: true });
}

async function finish() {
  if (leaving === null) return;
  const { run, due } = leaving;
  clearTimeout(due);
  if (bar.contains(document.activeElement)) document.getElementById("runs-heading").focus({ preventScroll: true });
  bar.hidden = true;
  leaving = null;
  try {
    await remove(`/jobs/${run.id}`);
  } catch (problem) {
    // Somebody else has deleted it.
    if (problem.status === 404) return;
    hidden.delete(run.id);
    returned(run);
    bar.replaceChildren(element("span", { class: "problem" }, `Run ${run.id} was not deleted: ${problem.message}`));
    bar.hidden = false;
    setTimeout(() => { bar.hidden = leaving === null; }, patience);
  }
}
