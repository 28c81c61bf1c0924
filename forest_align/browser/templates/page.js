// What is less probable than the slider says fades: rows, boxes around phrases, links between the trees.
// The keyboard reaches rows of the tables; they light up like those that the pointer is on.
const probability = e => e.dataset.p !== undefined ? +e.dataset.p
  : e.tagName === "path" ? (e.getAttribute("stroke-opacity") - .25) / .75
  : parseFloat((e.title || e.lastElementChild.textContent).match(/[0-9.]+(?= ?[*]?$)/));
const slider = document.getElementById("threshold");
if (slider) {
  slider.closest("p").hidden = false;
  const fade = () => {
    document.getElementById("least").textContent = (+slider.value).toFixed(2);
    document.querySelectorAll("section tr[data-with], section .p, section svg path").forEach(e =>
      e.classList.toggle("weak", probability(e) < slider.value));
  };
  slider.addEventListener("input", fade);
  fade();
}
document.querySelectorAll("section tr[data-with]").forEach(row => {
  row.tabIndex = 0;
  row.addEventListener("focus", () => lit(row.closest("section"), row.dataset.with, true));
  row.addEventListener("blur", () => lit(row.closest("section"), row.dataset.with, false));
});
