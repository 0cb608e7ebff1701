// Elements from values. Text only ever enters as text nodes, so nothing that a model says can become markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attrs, children) {
  for (const [name, value] of Object.entries(attrs)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

const el = (tag, attrs = {}, ...children) => fill(document.createElement(tag), attrs, children);
const svg = (tag, attrs = {}, ...children) => fill(document.createElementNS(SVG, tag), attrs, children);

// A person's or model's words: kept apart from their surroundings, whatever direction they are written in.
const words = (text, attrs = {}) => el("bdi", { dir: "auto", ...attrs }, String(text));

const byId = (id) => document.getElementById(id);
const put = (node, ...children) => node.replaceChildren(...children.flat(Infinity).filter((c) => c !== null && c !== undefined && c !== false));
const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

// The last position of a sorted list whose key is at most `limit`; -1 for none.
function lastAtMost(list, limit, key = (x) => x) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(list[middle]) <= limit) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function takeData() {
  const holder = byId("data");
  const data = JSON.parse(holder.textContent);
  holder.remove(); // what an agent cannot see is not to be found in the document while its view is on
  return data;
}

function themeButton() {
  const dark = () => {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  };
  const label = () => (dark() ? "Light colours" : "Dark colours");
  const button = el("button", { type: "button", id: "theme" }, label());
  button.addEventListener("click", () => {
    document.documentElement.dataset.theme = dark() ? "light" : "dark";
    button.textContent = label();
    document.dispatchEvent(new Event("theme"));
  });
  return button;
}

// Tabs after the ARIA pattern: arrows move, one panel at a time.
function tabs(list, panels, entries, label) {
  const buttons = entries.map(([name, title]) =>
    el("button", { type: "button", role: "tab", id: `tab-${name}`, "aria-controls": `panel-${name}`, "data-tab": name }, title));
  const bodies = entries.map(([name]) =>
    el("section", { role: "tabpanel", id: `panel-${name}`, "aria-labelledby": `tab-${name}`, tabindex: "0" }));
  list.setAttribute("aria-label", label);
  put(list, buttons);
  put(panels, bodies);
  const watchers = [];
  const api = { current: entries[0][0], panel: (name) => byId(`panel-${name}`), onchange: (f) => watchers.push(f) };
  api.show = (name) => {
    api.current = name;
    buttons.forEach((button, k) => {
      const on = entries[k][0] === name;
      button.setAttribute("aria-selected", on);
      button.tabIndex = on ? 0 : -1;
      bodies[k].hidden = !on;
    });
    watchers.forEach((f) => f(name));
  };
  api.allow = (name, allowed) => {
    byId(`tab-${name}`).hidden = !allowed;
    if (!allowed && api.current === name) api.show(entries[0][0]);
  };
  list.addEventListener("keydown", (event) => {
    const shift = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!shift) return;
    event.stopPropagation();
    const open = buttons.filter((button) => !button.hidden);
    const next = open[(open.indexOf(document.activeElement) + shift + open.length) % open.length];
    next.focus();
    api.show(next.dataset.tab);
  });
  buttons.forEach((button) => button.addEventListener("click", () => api.show(button.dataset.tab)));
  api.show(api.current);
  return api;
}
