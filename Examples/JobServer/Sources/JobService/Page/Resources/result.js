// Shows any result of a job: names as words, sizes and numbers for people, lists open.
import { element, named, number, shown } from "./text.js";

const shownItems = 50;

// Converts an identifier to words: "redundantBytes" becomes "Redundant bytes".
function words(name) {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

// Formats a size for people.
function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let place = 0;
  for (; bytes >= 1000 && place < units.length - 1; place += 1) bytes /= 1000;
  return place === 0 ? `${number(bytes)} bytes` : `${bytes < 10 ? bytes.toFixed(1) : Math.round(bytes)} ${units[place]}`;
}

export function value(result) {
  if (Array.isArray(result)) return list(result);
  if (result !== null && typeof result === "object") {
    // Short members come before lists.
    const isList = (name) => Array.isArray(result[name]) && result[name].length > 0;
    const names = Object.keys(result).sort((a, b) => isList(a) - isList(b));
    // A number of items is shown beside the list of these items.
    const isCounted = (name) => name.endsWith("Count") && Array.isArray(result[`${name.slice(0, -5)}s`]);
    return element("dl", { class: "values" }, ...names.filter((name) => !isCounted(name))
      .map((name) => member(name, result[name], result[`${name.replace(/s$/, "")}Count`])));
  }
  if (typeof result === "boolean") return element("span", {}, result ? "yes" : "no");
  return typeof result === "number" ? element("span", {}, number(result)) : named(result ?? "none");
}

// The first items, and a button that adds the next ones.
function list(items) {
  if (items.length === 0) return element("span", {}, "none");
  const made = element("ol", {});
  let count = 0;
  const add = () => {
    made.append(...items.slice(count, count + shownItems).map((item) => element("li", {}, value(item))));
    count = Math.min(count + shownItems, items.length);
  };
  add();
  if (count === items.length) return made;
  const button = element("button", { type: "button" });
  const label = () => { button.textContent = `Show ${number(Math.min(shownItems, items.length - count))} more of ${number(items.length)}`; };
  label();
  button.addEventListener("click", () => {
    const first = count;
    add();
    label();
    if (count < items.length) return;
    // The focus moves to the added items, because the button disappears.
    made.children[first].tabIndex = -1;
    made.children[first].focus({ preventScroll: true });
    button.remove();
  });
  return element("div", {}, made, button);
}

// A member of an object. `count` is the number of items of a list, which may lack some of them.
function member(name, item, count) {
  const isSize = typeof item === "number" && /^size$|(?:^b|B)ytes$/.test(name);
  const label = words(isSize ? name.replace(/Bytes$/, "") : name.replace(/^is(?=[A-Z])/, "").replace(/Count$/, "s"));
  const isList = Array.isArray(item) && item.length > 0;
  const term = element("dt", {}, `${shown(label)}${isList ? ` (${number(count ?? item.length)})` : ""}`);
  if (isSize) return element("div", {}, term, element("dd", { title: `${number(item)} bytes` }, size(item)));
  return element("div", { class: isList ? "list" : null }, term, element("dd", {}, value(item)));
}
