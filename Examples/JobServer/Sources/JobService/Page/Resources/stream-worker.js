// Shares one stream of events among all tabs of a browser, open while one of them is visible. A
// browser has six connections to a host, and an open stream occupies one of them.
import { EventStream } from "/stream.js";

const seen = new Map();
const stream = new EventStream((message) => {
  for (const [port, isSeen] of seen) if (isSeen) port.postMessage(message);
});

self.addEventListener("connect", ({ ports: [port] }) => {
  seen.set(port, false);
  port.addEventListener("message", ({ data }) => {
    if (data === "gone") seen.delete(port);
    else seen.set(port, data === "seen");
    const isWanted = [...seen.values()].includes(true);
    if (!isWanted) stream.close();
    // A tab that joins an open stream has missed its first event, and requests the list itself.
    else if (!stream.open() && data === "seen") port.postMessage(stream.last());
  });
  port.start();
});
