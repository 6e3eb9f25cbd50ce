// The form for a new run, created from the server's kinds.
import { get, post, submitRun } from "./api.js";
import { element, named } from "./text.js";

const form = document.getElementById("submit");
const kindField = document.getElementById("kind");
const fields = document.getElementById("fields");
const formError = document.getElementById("form-error");
const note = document.getElementById("form-note");
const keyField = document.getElementById("option-key");
let kinds = [];
let folders = [];

// The limits of the server, once they are known.
export let limits = {};

export const kindNamed = (name) => kinds.find((kind) => kind.name === name);

export async function prepareForm(submitted) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    await submit(submitted);
  });
  kindField.addEventListener("change", showFields);
  // A changed submission gets a new key.
  form.addEventListener("input", () => { key = null; });
  form.addEventListener("change", () => { key = null; });
  const answer = await get("/kinds");
  kinds = answer.kinds;
  folders = answer.folders;
  limits = answer;
  kindField.replaceChildren(...kinds.map((kind) => element("option", { value: kind.name }, kind.name)));
  showFields();
  const logOut = document.getElementById("log-out");
  logOut.hidden = !answer.needsToken;
  logOut.addEventListener("click", async () => {
    await post("/logout").catch(() => null);
    location.reload();
  });
  return kinds.map((kind) => kind.name);
}

const chosen = () => kinds.find((kind) => kind.name === kindField.value);

function showFields() {
  clearProblems();
  fields.replaceChildren(...chosen().fields.map(fieldElement));
}

function fieldElement(field) {
  const id = `field-${field.name}`;
  const described = [field.hint ? `${id}-hint` : null, `${id}-error`].filter(Boolean).join(" ");
  const attributes = {
    id, name: field.name, "aria-describedby": described, required: field.required,
    autocomplete: "off", spellcheck: "false", type: field.input === "flag" ? "checkbox" : "text",
    inputmode: field.input === "integer" ? "numeric" : field.input === "decimal" ? "decimal" : null,
  };
  const input = control(field, attributes);
  if (field.default !== null) {
    if (field.input === "flag") input.checked = field.default === "true";
    else input.value = field.default;
  } else if (field.name === "folder" && folders.length > 0) {
    input.value = folders[0];
  }
  const label = element("label", { for: id }, field.label);
  if (!field.required && field.input !== "flag") label.append(" ", element("span", { class: "quiet" }, "(optional)"));
  return element(
    "div", { class: `field ${field.input}` }, label, input,
    field.hint ? element("p", { id: `${id}-hint`, class: "quiet hint" }, field.hint) : null,
    element("p", { id: `${id}-error`, class: "problem", hidden: true }),
  );
}

function control(field, attributes) {
  if (field.input === "choice") {
    const { type, inputmode, ...others } = attributes;
    const choices = field.required ? field.choices : ["", ...field.choices];
    return element("select", others, ...choices.map((choice) => element("option", { value: choice }, choice)));
  }
  if (field.input === "long-text") {
    const { type, ...others } = attributes;
    return element("textarea", { ...others, rows: "4" });
  }
  return element("input", attributes);
}

function parameters() {
  const values = {};
  for (const field of chosen().fields) {
    const input = document.getElementById(`field-${field.name}`);
    const text = input.value.trim();
    if (field.input === "flag") {
      if (input.checked || field.default === "true") values[field.name] = input.checked;
    } else if (text !== "") {
      values[field.name] = value(field, text);
    }
  }
  return values;
}

// The priority and the start time in the form, if there are any.
function options() {
  const [priority, start] = ["priority", "runAt"].map((name) => document.getElementById(`option-${name}`).value.trim());
  return {
    ...(priority === "" ? {} : { priority: value({ input: "integer" }, priority) }),
    ...(start === "" ? {} : { runAt: new Date(start).getTime() }),
  };
}

// A text that is not a number is sent unchanged, and the server explains the problem.
function value(field, text) {
  switch (field.input) {
    case "integer":
    case "decimal": return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
    case "texts": return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
    default: return text;
  }
}

// The key of the current submission, kept until the server has answered or a field has changed. If
// an answer was lost, a second press sends the same key and therefore starts no second run.
let key = null;
// The beginning of a key that the page has made. People do not see these keys.
export const pageKey = "page-";

async function submit(submitted) {
  clearProblems();
  const button = form.querySelector("button");
  if (button.getAttribute("aria-disabled") === "true") return;
  button.setAttribute("aria-disabled", "true");
  try {
    key ??= pageKey + Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(36)).join("");
    const typed = keyField.value.trim();
    const body = { kind: kindField.value, parameters: parameters(), key: typed === "" ? key : typed, ...options() };
    const { run, isNew } = await submitRun(body);
    key = null;
    keyField.value = "";
    submitted(run, isNew);
    if (!isNew) showNote(run, typed);
  } catch (problem) {
    showProblem(problem);
  } finally {
    button.removeAttribute("aria-disabled");
  }
}

// A known key starts no run, which would look like a form that does nothing.
function showNote(run, typed) {
  if (typed === "") return;
  note.replaceChildren("The key ", named(typed), " already belongs to ", element("a", { href: `#run-${run.id}` }, `run ${run.id}`), ". No run was started.");
  note.hidden = false;
}

function clearProblems() {
  formError.hidden = true;
  note.hidden = true;
  for (const input of form.querySelectorAll("[aria-invalid]")) {
    input.removeAttribute("aria-invalid");
    document.getElementById(`${input.id}-error`).hidden = true;
  }
}

// Shows the server's sentence at its field, and the sentences of other fields that are wrong too.
function showProblem(problem) {
  const field = chosen().fields.find(({ name }) => name === problem.field);
  const input = problem.field && document.getElementById(`${field ? "field" : "option"}-${problem.field}`);
  if (!input) {
    formError.textContent = problem.message;
    formError.hidden = false;
    return;
  }
  for (const other of chosen().fields) {
    const sentence = other === field ? null : sentenceAbout(other);
    if (sentence !== null) mark(document.getElementById(`field-${other.name}`), sentence);
  }
  // The server names the parameter, and the form shows its label.
  const isNamed = field && problem.message.startsWith(`${field.name} `);
  mark(input, isNamed ? field.label + problem.message.slice(field.name.length) : problem.message);
  const details = input.closest("details.options");
  if (details) details.open = true;
  const first = form.querySelector("[aria-invalid]");
  first.focus();
}

function mark(input, sentence) {
  const error = document.getElementById(`${input.id}-error`);
  error.textContent = sentence;
  error.hidden = false;
  input.setAttribute("aria-invalid", "true");
}

// The reason why a value cannot be right, or null.
function sentenceAbout(field) {
  const text = document.getElementById(`field-${field.name}`).value.trim();
  if (field.input === "flag") return null;
  if (text === "") return field.required ? `${field.label} is missing.` : null;
  if (field.input !== "integer" && field.input !== "decimal") return null;
  const number = Number(text);
  if (!(field.input === "integer" ? /^-?\d+$/ : /^-?\d+(\.\d+)?$/).test(text)) {
    return `${field.label} must be a ${field.input === "integer" ? "whole " : ""}number.`;
  }
  const isInside = number >= field.minimum && number <= field.maximum;
  return isInside ? null : `${field.label} must be from ${field.minimum} to ${field.maximum}.`;
}
