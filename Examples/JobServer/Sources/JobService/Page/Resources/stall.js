// Explains in the words of users why a run has not ended.
import { number, shown } from "./text.js";

const tasksAre = (count, verb, verbs) => `${number(count)} ${count === 1 ? `task ${verb}` : `tasks ${verbs}`}`;

// The lines of the server's explanation. Equal reasons share a line, so that the lines are few and
// do not change whenever one task ends and the next one starts.
export function explained(stall, permits = null) {
  const groups = new Map();
  const add = (key, name, count, words) => {
    const known = groups.get(key);
    if (known) known.count += count;
    else groups.set(key, { name, count, words });
  };
  // The first line is that of the run itself.
  const [head, ...lines] = stall.split("\n");
  for (const line of lines) {
    const omitted = /^… and (\d+) more$/.exec(line);
    if (omitted) {
      add("omitted", "", Number(omitted[1]), ({ count }) => `${number(count)} further tasks have not finished.`);
      continue;
    }
    const colon = line.indexOf(": ");
    if (colon < 0) {
      add(line, line, 1, null);
      continue;
    }
    const name = line.slice(0, colon);
    const more = /^(.*?); and (\d+) more like it: .*$/.exec(line.slice(colon + 2));
    const rest = more ? more[1] : line.slice(colon + 2);
    const [key, words] = reason(rest, permits);
    add(key, name, 1 + Number(more?.[2] ?? 0), words);
  }
  const told = [...groups.values()].map(({ name, count, words }) => shown(
    typeof words === "function" ? words({ name, count })
      : words === null ? name : `${name}${count > 1 ? ` and ${number(count - 1)} more` : ""}: ${words}`,
  ));
  return told.length > 0 && /: executing$/.test(head) ? told : [shown(head), ...told];
}

// The key that equal reasons share, and the reason or a function that writes it.
function reason(text, permits) {
  const time = /^executing(?: for (\d+) s)?$/.exec(text);
  if (time && Number(time[1] ?? 0) < 60) {
    return ["executing", ({ name, count }) => (count === 1 ? `${name} is executing.` : `${number(count)} tasks are executing.`)];
  }
  if (/^full: Run \d+, where .* executes?$/.test(text)) {
    const own = permits === null ? "the run's permits" : `the run's ${permits === 1 ? "only permit" : `${number(permits)} permits`}`;
    return ["permit", ({ count }) => `${tasksAre(count, "waits", "wait")} for ${permits === 1 ? own : `one of ${own}`}. `
      + "The server divides its permits among the runs that execute."];
  }
  const gate = /^never queued, because only (\d+) of group (.*?) may (?:go|run) at a time(?:, now .*)?$/.exec(text);
  if (gate) {
    return [`group ${gate[2]}`, ({ count }) => `${tasksAre(count, "waits", "wait")}, `
      + `because this job executes at most ${number(Number(gate[1]))} of its ${gate[2]} at a time.`];
  }
  return [text, text];
}
