// Sends requests to the server and handles the answers.

export class Problem extends Error {
  constructor(sentence, field = null, status = null) {
    super(sentence);
    this.field = field;
    this.status = status;
  }
}

// A request without an answer within this number of milliseconds has failed.
const patience = 20000;

export async function get(path) {
  return read(await ask(path));
}

export async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  return read(await ask(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

// Submits a run. Returns it, and whether it is new and not that of an earlier submission.
export async function submitRun(body) {
  const headers = { "Content-Type": "application/json" };
  const answer = await ask("/jobs", { method: "POST", headers, body: JSON.stringify(body) });
  return { run: await read(answer), isNew: answer.status === 201 };
}

export async function remove(path) {
  const headers = { "Content-Type": "application/json" };
  // The request outlives a page that is closed.
  return read(await ask(path, { method: "DELETE", headers, keepalive: true }));
}

// The reason why the server cannot write to its database, or null.
export async function trouble() {
  const answer = await ask("/health");
  const body = answer.ok ? null : await answer.json().catch(() => null);
  return body?.status === "failing" ? body.reason : null;
}

export async function text(path) {
  const answer = await ask(path);
  return answer.ok ? answer.text() : null;
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, { ...options, signal: AbortSignal.timeout(patience) });
  } catch {
    throw new Problem("The server does not answer.");
  }
  // The session has ended, so the page shows the login form.
  if (answer.status === 401) location.reload();
  return answer;
}

async function read(answer) {
  const body = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.ok) return body;
  throw new Problem(body?.error ?? `The server answered ${answer.status}.`, body?.field ?? null, answer.status);
}
