// Questions before actions that cost work. The second press of the same button answers them.
import { show } from "./text.js";

const patience = 5000;
// A run that has executed for this number of milliseconds is not cancelled by one press.
const longTime = 300000;
const asked = new WeakMap();

export const isLong = (run) => run.state === "running" && run.startedAt !== null && Date.now() - run.startedAt > longTime;

// Returns whether a press is the second one. The first press shows a question for some seconds.
export function isSure(button, verb, words = `Really ${verb.toLowerCase()}?`) {
  if (asked.get(button)?.verb === verb) {
    forget(button);
    return true;
  }
  asked.set(button, { verb, words, label: button.textContent, due: setTimeout(() => {
    const { label } = asked.get(button);
    asked.delete(button);
    show(button, label);
  }, patience) });
  show(button, words);
  return false;
}

// The question that a button shows about an action, or null.
export function question(button, verb) {
  const known = asked.get(button);
  if (known && known.verb !== verb) forget(button);
  return known?.verb === verb ? known.words : null;
}

function forget(button) {
  clearTimeout(asked.get(button)?.due);
  asked.delete(button);
}
