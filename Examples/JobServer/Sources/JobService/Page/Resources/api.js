// Requests to the server, and what they may answer.

export class Problem extends Error {
  constructor(sentence, field = null) {
    super(sentence);
    this.field = field;
  }
}

// A request that is not answered within this many milliseconds has failed.
const patience = 20000;

export async function get(path) {
  return read(await ask(path));
}

export async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  return read(await ask(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

export async function remove(path) {
  const headers = { "Content-Type": "application/json" };
  return read(await ask(path, { method: "DELETE", headers }));
}

// Why the server cannot write its database; null while it can.
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
  // The session has ended: the page asks for the token.
  if (answer.status === 401) location.reload();
  return answer;
}

async function read(answer) {
  const body = answer.status === 204 ? null : await answer.json().catch(() => null);
  if (answer.ok) return body;
  throw new Problem(body?.error ?? `The server answered ${answer.status}.`, body?.field ?? null);
}
