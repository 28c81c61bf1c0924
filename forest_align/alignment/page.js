// Words, phrases, tree nodes, links and rows light up with what they are aligned to, under the pointer or
// with the keyboard, and a note tells how probable that is. Without scripts their titles tell it.
const all = (within, wanted) => [...within.querySelectorAll(wanted)];
const tip = document.body.appendChild(document.createElement("div"));
tip.id = "tip";
tip.setAttribute("role", "status");

// Titles become notes of this page, or the browser would show them too.
const noteOf = e => {
  const title = [...e.children, ...all(e, "text > title")].find(one => one.tagName === "title");
  if (title) { e.dataset.tip = title.textContent; title.remove(); }
  if (e.title) { e.dataset.tip = e.title; e.removeAttribute("title"); }
  return e.dataset.tip || "";
};

let lit = null;
const light = e => {
  if (e === lit) return;
  if (lit) all(lit.closest("section"), ".on").forEach(one => one.classList.remove("on"));
  if (lit) lit.closest("section").classList.remove("lit");
  lit = e;
  tip.textContent = "";
  if (!e) return;
  const section = e.closest("section"), words = new Set(e.dataset.with.split(" "));
  const pairs = (e.dataset.pair || "").split(" ").filter(Boolean);
  section.classList.add("lit");
  e.classList.add("on");
  for (const one of all(section, "[data-w]")) if (words.has(one.dataset.w)) one.classList.add("on");
  for (const one of all(section, ".l"))
    if (e.matches(".l") ? one.dataset.with === e.dataset.with : one.dataset.with.split(" ").every(w => words.has(w)))
      one.classList.add("on");
  for (const one of all(e.closest(".column, section"), "[data-pair]:not(.p)"))
    if (one.dataset.pair.split(" ").some(pair => pairs.includes(pair))) one.classList.add("on");
  const notes = [];
  for (let one = e; one; one = one.parentElement.closest("[data-with]")) notes.push(noteOf(one));
  tip.textContent = notes.filter(Boolean).join("\n");
  const box = e.getBoundingClientRect(), own = tip.getBoundingClientRect();
  const left = Math.max(4, Math.min(box.left, document.documentElement.clientWidth - own.width - 4));
  const above = box.top - own.height - 6;
  tip.style.transform = `translate(${left}px, ${above < 0 ? box.bottom + 6 : above}px)`;
};
const lightable = e => e && e.closest && e.closest("[data-with]");
document.addEventListener("mouseover", event => light(lightable(event.target)));
document.addEventListener("focusin", event => light(lightable(event.target)));
document.addEventListener("focusout", () => light(null));

// One stop of the tab key for each sentence, table and picture; arrows move within it.
for (const group of all(document, ".side, section table, section svg")) {
  const members = all(group, "[data-with]");
  members.forEach((e, place) => { e.tabIndex = place ? -1 : 0; });
  group.addEventListener("keydown", event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    const next = step && members[members.indexOf(lightable(event.target)) + step];
    if (event.key === "Escape") light(null);
    if (!next) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    next.tabIndex = 0;
    next.focus();
  });
}

// Downloads.
const save = (name, type, text) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], {type}));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};
const button = (text, act) => {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
};
const svgText = svg => {
  const copy = svg.cloneNode(true);
  all(copy, "[tabindex]").forEach(e => e.removeAttribute("tabindex"));
  all(copy, "[data-tip]").forEach(e => {
    const title = document.createElementNS(svg.namespaceURI, "title");
    title.textContent = e.dataset.tip;
    e.prepend(title);
    delete e.dataset.tip;
  });
  return new XMLSerializer().serializeToString(copy);
};
const fileName = section => (section.dataset.name || "").replace(/[^\p{L}\p{N}._-]+/gu, "_") || "alignment";
for (const picture of all(document, "section .picture"))
  picture.after(button("Save the picture (SVG)", () => save(
    `${fileName(picture.closest("section"))}${picture.closest("details").previousElementSibling?.querySelector?.(".picture") ? "-trees" : ""}.svg`, "image/svg+xml", svgText(picture.querySelector("svg")))));
for (const values of all(document, "pre.json"))
  values.before(button("Save as JSON", () => save(
    fileName(values.closest("section")) + ".json", "application/json", values.textContent + "\n")));

// Of the alternatives of an alignment one is shown.
for (const first of all(document, "section[data-alternatives]")) {
  const views = [first];
  while (views.at(-1).nextElementSibling?.matches("section[data-alternative]")) views.push(views.at(-1).nextElementSibling);
  const show = place => views.forEach((view, k) => { view.hidden = k !== place; });
  views.forEach((view, own) => {
    const bar = document.createElement("p");
    bar.className = "choice";
    views.forEach((_, k) => {
      const choice = button(k ? `Alternative ${k + 1}` : "Best", () => {
        show(k);
        all(views[k], ".choice button")[k].focus();
      });
      choice.setAttribute("aria-pressed", k === own);
      bar.append(choice, " ");
    });
    view.prepend(bar);
  });
  show(0);
}

// What is less probable than the slider says fades.
const slider = document.getElementById("threshold");
if (slider) {
  slider.closest("details").hidden = false;
  const fade = () => {
    document.getElementById("least").textContent = (+slider.value).toFixed(2);
    all(document, "section [data-p]").forEach(e => e.classList.toggle("weak", +e.dataset.p < slider.value));
  };
  slider.addEventListener("input", fade);
  fade();
}

// Keys for pages of many pairs.
const help = document.querySelector(".keys");
if (help) {
  help.hidden = false;
  let at = -1;
  const move = step => {
    const sections = all(document, "section").filter(one => !one.hidden);
    at = Math.max(0, Math.min(sections.length - 1, at + step));
    if (!sections[at]) return;
    sections[at].tabIndex = -1;
    sections[at].focus({preventScroll: true});
    sections[at].scrollIntoView();
  };
  const fold = () => {
    const folds = all(document, "section .picture").map(one => one.closest("details"));
    const open = folds.some(one => !one.open);
    folds.forEach(one => { one.open = open; });
  };
  const follow = rel => document.querySelector(`a[rel=${rel}]`)?.click();
  const acts = {j: () => move(1), k: () => move(-1), n: () => follow("next"), p: () => follow("prev"),
    t: fold, "/": () => document.getElementById("find").focus()};
  document.addEventListener("keydown", event => {
    const act = !event.ctrlKey && !event.altKey && !event.metaKey && acts[event.key];
    if (!act || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    act();
  });
}

// Links can be corrected, and saved as gold ones.
const wordsOf = (section, side) => all(section, `.side [data-w^="${side}"]`);
const drawLink = (section, i, j) => all(section, "svg").forEach(svg => {
  const [from, to] = [`s${i}`, `t${j}`].map(name => svg.querySelector(`[data-w="${name}"]`));
  const [[x, y], [otherX, otherY]] = [from, to].map(one => one.dataset.end.split(",").map(Number));
  const [middleX, middleY] = [(x + otherX) / 2, (y + otherY) / 2];
  const bends = svg.dataset.upright ? [middleX, y, middleX, otherY] : [x, middleY, otherX, middleY];
  const link = document.createElementNS(svg.namespaceURI, "g"), path = document.createElementNS(svg.namespaceURI, "path");
  link.setAttribute("class", "l");
  link.dataset.with = `s${i} t${j}`;
  for (const [name, value] of Object.entries({class: "s li", fill: "none", stroke: "#444444", "stroke-width": 2.8,
    d: `M${x} ${y} C${bends.join(" ")} ${otherX} ${otherY}`})) path.setAttribute(name, value);
  link.append(path);
  svg.append(link);
});
const edit = (section, start) => {
  const links = new Set(wordsOf(section, "s").flatMap(e =>
    e.dataset.with.split(" ").filter(name => name[0] === "t").map(name => `${e.dataset.w.slice(1)}-${name.slice(1)}`)));
  const sorted = () => [...links].map(link => link.split("-").map(Number))
    .sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(link => link.join("-")).join(" ");
  const note = document.createElement("p"), shown = document.createElement("output");
  note.className = "links";
  const gold = document.getElementById("gold");
  const show = () => {
    shown.textContent = sorted();
    if (gold) gold.value = sorted();
    for (const e of all(section, "[data-w]")) {
      const [side, at] = [e.dataset.w[0], e.dataset.w.slice(1)];
      const partners = [...links].map(link => link.split("-")).filter(link => link[side === "s" ? 0 : 1] === at)
        .map(link => side === "s" ? `t${link[1]}` : `s${link[0]}`);
      e.dataset.with = [e.dataset.w, ...partners].join(" ");
      if (e.matches(".w")) e.classList.toggle("un", !partners.length);
    }
  };
  let picked = null;
  const pick = event => {
    const word = event.target.closest(".side .w");
    if (!word || (event.key && event.key !== "Enter")) return;
    const last = picked;
    if (last) last.classList.remove("picked");
    picked = last && last.dataset.w[0] !== word.dataset.w[0] ? null : last === word ? null : word;
    if (picked) { picked.classList.add("picked"); return; }
    if (last === word) return;
    const [i, j] = [last, word].map(e => e.dataset.w).sort().map(name => name.slice(1));
    if (links.delete(`${i}-${j}`))
      all(section, ".l").filter(one => one.dataset.with === `s${i} t${j}`).forEach(one => one.remove());
    else { links.add(`${i}-${j}`); drawLink(section, i, j); }
    all(section, `[data-w="s${i}"], [data-w="t${j}"]`).forEach(e => { noteOf(e); delete e.dataset.tip; });
    show();
    light(null);
    light(word);
  };
  section.addEventListener("click", pick);
  section.addEventListener("keydown", pick);
  const pair = () => ({id: section.dataset.name || "", name: section.dataset.name || "",
    source: wordsOf(section, "s").map(e => e.textContent).join(" "),
    target: wordsOf(section, "t").map(e => e.textContent).join(" "), sureAlign: sorted(), possibleAlign: ""});
  note.append("Choose a word and then one of the other sentence, with the pointer or Enter: their link comes or goes. ",
    "Links: ", shown, " ",
    button("Save links (Pharaoh)", () => save(fileName(section) + ".pharaoh", "text/plain", sorted() + "\n")), " ",
    button("Save links (jacana JSON)", () =>
      save(fileName(section) + ".gold.json", "application/json", JSON.stringify([pair()], null, 1) + "\n")));
  start.replaceWith(note);
  show();
};
for (const section of all(document, "section:not(.comparison)")) {
  const lines = all(section, ":scope > .side");
  if (lines.length !== 2 || !wordsOf(section, "s").length || !wordsOf(section, "t").length) continue;
  const start = button("Correct the links", () => edit(section, start));
  (section.querySelector(":scope > .state") || lines[1]).after(start);
}
