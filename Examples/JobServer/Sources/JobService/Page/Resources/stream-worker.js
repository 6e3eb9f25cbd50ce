// One stream of events for all tabs of a browser, open while one of them is seen: a host has six
// connections, and a stream holds one for as long as it is open.
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
    // A tab that comes to an open stream missed its first event, and asks by itself.
    else if (!stream.open() && data === "seen") port.postMessage(stream.last());
  });
  port.start();
});
