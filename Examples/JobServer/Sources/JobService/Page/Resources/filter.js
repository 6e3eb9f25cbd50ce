// The filter of the list. It is kept in the address, so that users can share it.
import { element, states } from "./text.js";

const form = document.getElementById("filter");
const read = () => {
  const items = new URLSearchParams(location.search);
  return { state: items.get("state") ?? "", kind: items.get("kind") ?? "", text: items.get("text") ?? "" };
};

export let filter = read();

export const hasFilter = () => filter.state !== "" || filter.kind !== "" || filter.text !== "";

// The filter as a query for the server.
export function query() {
  const items = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) if (value !== "") items.set(name, value);
  // In a form, "+" means a space, but the server reads it as a plus.
  return items.toString().replaceAll("+", "%20");
}

export function matches(run) {
  return (filter.state === "" || run.state === filter.state)
    && (filter.kind === "" || run.kind === filter.kind)
    && (filter.text === "" || folded(run.title).includes(folded(filter.text)));
}

// Normalizes a text like the server: in one case and in one Unicode form.
const folded = (text) => text.normalize("NFC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFC");

export function prepareFilter(kinds, changed) {
  const words = Object.keys(states).filter((state) => state !== "cancelling");
  const options = (select, all, values) => select.replaceChildren(
    element("option", { value: "" }, all), ...values.map((value) => element("option", { value }, value)),
  );
  options(form.elements.state, "all states", words);
  options(form.elements.kind, "all kinds", [...new Set([...kinds, filter.kind])].filter(Boolean));
  const show = () => {
    for (const [name, value] of Object.entries(filter)) form.elements[name].value = value;
  };
  const take = () => {
    const next = Object.fromEntries(Object.keys(filter).map((name) => [name, form.elements[name].value.trim()]));
    if (JSON.stringify(next) === JSON.stringify(filter)) return;
    filter = next;
    const asked = query();
    history.replaceState(null, "", `${location.pathname}${asked ? `?${asked}` : ""}${location.hash}`);
    changed();
  };
  let due = null;
  form.addEventListener("input", () => {
    clearTimeout(due);
    due = setTimeout(take, 250);
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    take();
  });
  window.addEventListener("popstate", () => {
    const next = read();
    if (JSON.stringify(next) === JSON.stringify(filter)) return;
    filter = next;
    show();
    changed();
  });
  show();
}
