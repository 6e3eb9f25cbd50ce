// Requests to the server, and what they may answer.

export class Problem extends Error {
  constructor(sentence, field = null) {
    super(sentence);
    this.field = field;
  }
}

export async function get(path) {
  return read(await ask(path));
}

export async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  return read(await ask(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

export async function text(path) {
  const answer = await ask(path);
  return answer.ok ? answer.text() : null;
}

async function ask(path, options = {}) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Problem("The server does not answer.");
  }
  // The session has ended: the page asks for the token.
  if (answer.status === 401) location.reload();
  return answer;
}

async function read(answer) {
  const body = await answer.json().catch(() => null);
  if (answer.ok) return body;
  throw new Problem(body?.error ?? `The server answered ${answer.status}.`, body?.field ?? null);
}
