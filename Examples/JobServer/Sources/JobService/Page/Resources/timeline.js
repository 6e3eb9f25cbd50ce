// Draws the server's picture of a timeline in the width of its panel, with letters of full size.
import { element, number } from "./text.js";

const laneLimit = 200;
const left = 10;
// The server's pictures have this margin, and their heading ends here. The page has its own.
const margin = 20;
const headingEnd = 54;
const space = "http://www.w3.org/2000/svg";

// Reads a picture. Returns null if it is not one.
export function read(text) {
  // The page's own style sheet has the same rules. An embedded style would be rejected and reported.
  const bare = text.replace(/<style[^>]*>[\s\S]*?<\/style>/, "");
  const picture = new DOMParser().parseFromString(bare, "image/svg+xml").documentElement;
  const width = picture.viewBox?.baseVal?.width;
  if (!width) return null;
  const numbers = (node, ...names) => names.map((name) => Number(node.getAttribute(name)));
  const style = (node) => node.getAttribute("class") ?? "";
  const bars = [...picture.querySelectorAll("rect")].map((node) => {
    const [x, y, wide, high] = numbers(node, "x", "y", "width", "height");
    return { style: style(node), x, y, wide, high, tip: node.querySelector("title")?.textContent ?? "" };
  });
  const texts = [...picture.querySelectorAll("text")].map((node) => {
    const [x, y] = numbers(node, "x", "y");
    return { style: style(node), x, y, text: node.textContent };
  });
  const paths = [...picture.querySelectorAll("path")].map((node) => ({ style: style(node), shape: node.getAttribute("d") ?? "" }));
  const bottom = Math.max(headingEnd, ...bars.map((bar) => bar.y + bar.high));
  const isLegend = ({ shape }) => shape.includes("h");
  return {
    width, bottom, bars,
    ticks: texts.filter((text) => text.style.startsWith("tick") && text.y < bottom),
    lines: paths.filter((path) => !isLegend(path) && path.style !== "grid"),
    legend: legend(picture, texts.filter((text) => text.style === "facts" && text.y > bottom), paths.filter(isLegend), style),
  };
}

// The items of the legend: a circle or a line, and the text to the right of it.
function legend(picture, texts, lines, style) {
  const signs = [
    ...[...picture.querySelectorAll("circle")].map((node) => ({ style: style(node), isLine: false, x: Number(node.getAttribute("cx")), y: Number(node.getAttribute("cy")) })),
    ...lines.map((line) => {
      const [, x, y] = /^M([\d.]+) ([\d.]+)/.exec(line.shape) ?? [];
      return { style: line.style, isLine: true, x: Number(x), y: Number(y) };
    }),
  ].sort((a, b) => a.y - b.y || a.x - b.x);
  return signs.map((sign) => {
    const near = texts.find((text) => Math.abs(text.y - 4 - sign.y) < 2 && text.x > sign.x && text.x - sign.x < 20);
    return { ...sign, text: near?.text ?? "" };
  });
}

// Draws a timeline in a width. Returns the picture, and the number of lanes if some are missing.
export function draw(timeline, width) {
  const tops = [...new Set(timeline.bars.map((bar) => Math.round(bar.y)))].sort((a, b) => a - b);
  const isCut = tops.length > laneLimit;
  const bottom = isCut ? tops[laneLimit] : timeline.bottom;
  const scale = (width - 2 * left) / (timeline.width - 2 * margin);
  const at = (x) => left + (x - margin) * scale;
  const bars = timeline.bars.filter((bar) => Math.round(bar.y) < bottom);
  const made = (name, attributes, ...children) => {
    const node = document.createElementNS(space, name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  };
  const text = (style, x, y, words) => made("text", { class: style, x: x.toFixed(1), y: y.toFixed(1) }, words);
  const nodes = [];
  const ticks = spread(timeline.ticks.map((tick) => ({ ...tick, x: at(tick.x) })), width);
  const grid = ticks.map((tick) => `M${tick.x.toFixed(1)} ${headingEnd + 4}V${bottom + 4}`).join("");
  nodes.push(made("path", { class: "grid", d: grid }));
  for (const tick of ticks) nodes.push(text(tick.style, tick.x, tick.y, tick.text));
  const tasks = bars.filter((bar) => !bar.style.startsWith("job"));
  const row = Math.max(0, ...tasks.slice(0, 1_000).map((bar) => bar.high));
  const labels = [];
  // Chromium takes a time that is quadratic in the number of sibling titles.
  for (let start = 0; start < bars.length; start += 200) {
    nodes.push(made("g", {}, ...bars.slice(start, start + 200).map((bar) => {
      const wide = Math.max(bar.wide * scale, bar.style.includes("failed") ? 2.5 : 0.8);
      const isJob = bar.style.startsWith("job");
      const words = row < 12 ? null : shortened(bar.tip.split("\n")[0], wide - 8);
      const isDark = isJob || /cancelled|running/.test(bar.style);
      const middle = bar.y + (isJob ? Math.min(bar.high, row || 22) : bar.high) / 2 + 3.8;
      if (words) labels.push(text(isDark ? "dark" : "light", at(bar.x) + 4, middle, words));
      return made(
        "rect", { class: bar.style, x: at(bar.x).toFixed(2), y: bar.y, width: wide.toFixed(2), height: bar.high },
        made("title", {}, bar.tip),
      );
    })));
  }
  for (const { style, shape } of timeline.lines) nodes.push(made("path", { class: style, d: moved(shape, at, bottom) }));
  nodes.push(...labels);
  let [x, y] = [left, bottom + 24];
  for (const item of timeline.legend) {
    const wide = widthOf(item.text) * 1.1 + 36;
    if (x > left && x + wide > width) [x, y] = [left, y + 20];
    nodes.push(item.isLine
      ? made("path", { class: item.style, d: `M${x} ${y}h12` }) : made("circle", { class: item.style, cx: x + 6, cy: y, r: 5 }));
    nodes.push(text("facts", x + 17, y + 4, shortened(item.text, width - x - 20) ?? ""));
    x += wide;
  }
  const height = y + 14 - headingEnd;
  const picture = made("svg", { role: "img", viewBox: `0 ${headingEnd} ${width} ${height}`, width, height }, ...nodes);
  return { picture, missing: isCut ? tops.length : 0 };
}

export const missingLanes = (count) => `Showing ${laneLimit} of about ${number(count)} lanes; open the SVG for all.`;

// Every tick, or every second and so on, so that their labels do not overlap.
function spread(ticks, width) {
  if (ticks.length < 2) return ticks;
  const distance = (ticks.at(-1).x - ticks[0].x) / (ticks.length - 1);
  const widest = Math.max(...ticks.map((tick) => widthOf(tick.text)));
  const step = Math.max(1, Math.ceil((widest + 14) / Math.max(distance, 1)));
  const placed = ticks.filter((tick, place) => place % step === 0).map((tick) => {
    const isLast = tick.x + widthOf(tick.text) + 6 > width;
    return { ...tick, style: isLast ? "tick end" : "tick", x: isLast ? width - 4 : tick.x };
  });
  const [before, last] = placed.slice(-2);
  const overlaps = last?.style === "tick end" && before.x + widthOf(before.text) + 6 > last.x - widthOf(last.text);
  return overlaps ? placed.slice(0, -1) : placed;
}

// Moves the horizontal positions of a line. Parts below the last lane are left out.
function moved(shape, at, bottom) {
  let isBelow = false;
  return shape.replace(/([MHV])([\d.]+)(?: ([\d.]+))?/g, (all, letter, first, second) => {
    if (letter === "M") isBelow = Number(second) > bottom;
    if (isBelow || (letter === "V" && Number(first) > bottom)) return "";
    return letter === "V" ? all : `${letter}${at(Number(first)).toFixed(1)}${letter === "M" ? ` ${second}` : ""}`;
  });
}

// The approximate width of a text at 11 points.
const widthOf = (text) => [...text].reduce((sum, one) => sum + (one.codePointAt(0) < 0x1100 ? 6.6 : 13), 0);

// A text that fits, or its beginning and end, because both distinguish names. Null if too little fits.
function shortened(text, width) {
  const letters = [...text];
  if (widthOf(text) <= width) return text;
  const count = Math.floor((width - 10) / 6.6);
  if (count < 4) return null;
  const head = Math.ceil(count / 2);
  return `${letters.slice(0, head).join("")}…${letters.slice(letters.length - (count - head)).join("")}`;
}

// The panel of a timeline. A click or Enter enlarges it.
export function timelinePanel() {
  const panel = element("div", {
    class: "timeline", tabindex: "0", role: "region", "aria-label": "Timeline, a click or Enter zooms",
  });
  const note = element("p", { class: "quiet", hidden: true });
  let timeline = null;
  let drawnWidth = 0;
  const redraw = () => {
    const shown = panel.clientWidth;
    if (timeline === null || shown === 0) return;
    drawnWidth = shown;
    const isZoomed = panel.dataset.zoomed === "true";
    const { picture, missing } = draw(timeline, isZoomed ? Math.max(2400, shown * 3) : shown);
    picture.setAttribute("aria-label", panel.dataset.title ?? "Timeline");
    const { scrollLeft, scrollTop } = panel;
    panel.replaceChildren(picture);
    [panel.scrollLeft, panel.scrollTop] = [scrollLeft, scrollTop];
    note.hidden = missing === 0;
    if (missing > 0) note.textContent = missingLanes(missing);
  };
  const zoom = (place) => {
    const isZoomed = panel.dataset.zoomed !== "true";
    panel.dataset.zoomed = String(isZoomed);
    redraw();
    if (isZoomed) panel.scrollLeft = place * panel.scrollWidth - panel.clientWidth / 2;
  };
  panel.addEventListener("click", (event) => {
    const { left: start, width } = panel.firstElementChild?.getBoundingClientRect() ?? { left: 0, width: 1 };
    zoom((event.clientX - start) / width);
  });
  panel.addEventListener("keydown", (event) => {
    if (event.key === "Enter") zoom(0);
  });
  new ResizeObserver(() => {
    if (Math.abs(panel.clientWidth - drawnWidth) > 1) redraw();
  }).observe(panel);
  return {
    panel, note,
    // Shows a picture of the server. Returns whether it is one.
    show(text, title) {
      timeline = read(text);
      panel.dataset.title = title;
      redraw();
      return timeline !== null;
    },
  };
}
