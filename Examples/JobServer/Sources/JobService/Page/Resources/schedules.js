// The server's schedules, each with its next time, its last run, and a switch.
import { get, post } from "./api.js";
import { element, moment, named, number, show, shown } from "./text.js";

const section = document.getElementById("schedules");
const list = section.querySelector("ul");
let announce = () => {};
let isKnown = false;
let hasSome = true;

export function prepareSchedules(announcement) {
  announce = announcement;
}

// Reads the schedules. If the server has none, they are requested only once.
export async function showSchedules() {
  if (!hasSome) return;
  try {
    const { schedules } = await get("/schedules");
    hasSome = schedules.length > 0;
    section.hidden = !hasSome;
    show(section.querySelector("summary span"), brief(schedules));
    if (isKnown && list.contains(document.activeElement)) return;
    list.replaceChildren(...schedules.map(item));
    isKnown = true;
  } catch {
    // They are requested again with the next list.
  }
}

// The number of schedules, and the one that is due next.
function brief(schedules) {
  const next = schedules.filter(({ nextAt }) => nextAt !== null).sort((a, b) => a.nextAt - b.nextAt)[0];
  return `${number(schedules.length)}, ${next ? `next ${shown(next.name)}, ${moment(next.nextAt)}` : "all paused"}`;
}

function item(schedule) {
  const verb = schedule.isPaused ? "Resume" : "Pause";
  const button = element("button", { type: "button", "aria-label": `${verb}: ${shown(schedule.name)}` }, verb);
  button.addEventListener("click", async () => {
    try {
      await post(`/schedules/${encodeURIComponent(schedule.name)}/${verb.toLowerCase()}`);
      announce(`${verb}d: ${shown(schedule.name)}.`);
      button.blur();
      await showSchedules();
    } catch (problem) {
      announce(problem.message);
    }
  });
  const last = schedule.runID === null
    ? "no run yet" : element("a", { href: `#run-${schedule.runID}` }, `last run #${schedule.runID}`);
  return element(
    "li", {}, named(schedule.name, { class: "schedule" }), element("span", { class: "quiet" },
      ` ${shown(schedule.kind)} · ${schedule.isPaused ? "paused" : `next ${moment(schedule.nextAt)}`} · `, last, " "), button,
  );
}
