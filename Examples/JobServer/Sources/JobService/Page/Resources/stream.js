// The stream of events, which is opened again after a loss.

export class EventStream {
  constructor(tell) {
    this.tell = tell;
    this.source = null;
    this.state = { type: "state", state: "lost", words: "connecting" };
  }

  // Opens the stream. Returns whether it was closed.
  open() {
    if (this.source !== null) return false;
    const source = new EventSource("/events");
    this.source = source;
    source.addEventListener("snapshot", ({ data }) => {
      this.say("live", "live");
      this.tell({ type: "snapshot", runs: JSON.parse(data) });
    });
    source.addEventListener("run", ({ data }) => this.tell({ type: "run", run: JSON.parse(data) }));
    source.addEventListener("deleted", ({ data }) => this.tell({ type: "deleted", id: JSON.parse(data).id }));
    source.addEventListener("queue", () => this.tell({ type: "queue" }));
    source.addEventListener("bye", () => this.say("stopping", "stopping"));
    source.addEventListener("error", () => {
      // A stopping server closes the stream after its last end, so it is gone now.
      this.say("lost", "lost, trying again");
      // A browser reconnects by itself, except after an answer that is not a stream.
      if (source.readyState !== EventSource.CLOSED) return;
      // The session may have ended. A stream does not report this, but a request does.
      this.tell({ type: "refused" });
      setTimeout(() => {
        if (this.source !== source) return;
        this.source = null;
        this.open();
      }, 2000);
    });
    return true;
  }

  close() {
    this.source?.close();
    this.source = null;
  }

  say(state, words) {
    this.state = { type: "state", state, words };
    this.tell(this.state);
  }

  last() {
    return { ...this.state, isJoined: true };
  }
}

// Listens while the page is visible, through the shared worker, or directly without one.
export function listen(take) {
  const isSeen = () => document.visibilityState === "visible";
  if (typeof SharedWorker === "undefined") {
    const stream = new EventStream(take);
    const follow = () => (isSeen() ? stream.open() : stream.close());
    document.addEventListener("visibilitychange", follow);
    follow();
    return;
  }
  const { port } = new SharedWorker("/stream-worker.js", { type: "module", name: "job-server" });
  port.addEventListener("message", ({ data }) => take(data));
  port.start();
  const tell = () => port.postMessage(isSeen() ? "seen" : "hidden");
  document.addEventListener("visibilitychange", tell);
  window.addEventListener("pagehide", () => port.postMessage("gone"));
  window.addEventListener("pageshow", tell);
  tell();
}
