// The form of a sheet: answers are kept in this browser under the sheet's key, and saved as the CSV that is scored.

function annotationForm() {
  const { rows, columns, key } = JSON.parse(byId("data").textContent);
  const name = byId("annotator");
  const inputs = [...document.querySelectorAll("[data-row]")];
  const place = (input) => `${input.dataset.row} ${input.dataset.field}`;
  let saved = true; // as CSV
  let kept = true; // in the browser

  function answers() {
    const found = {};
    for (const input of inputs) if (input.value && (input.type !== "radio" || input.checked)) found[place(input)] = input.value;
    return found;
  }

  function restore() {
    let stored = null;
    try {
      stored = JSON.parse(localStorage.getItem(key));
    } catch {
      kept = false;
    }
    if (!stored) return;
    saved = stored.saved;
    name.value = stored.annotator;
    for (const input of inputs) {
      const answer = stored.answers[place(input)] ?? "";
      if (input.type === "radio") input.checked = input.value === answer;
      else input.value = answer;
    }
  }

  function keep() {
    try {
      localStorage.setItem(key, JSON.stringify({ annotator: name.value, answers: answers(), saved }));
      kept = true;
    } catch {
      kept = false;
    }
  }

  function tell() {
    const found = answers();
    const open = rows.filter((row, k) => !found[`${k} ${row.kind === "claim" ? "extraction_ok" : "missed"}`]).length;
    const state = saved ? "" : kept ? "; kept in this browser, not saved as CSV yet" : "; this browser keeps nothing: save before you leave";
    byId("state").textContent = `${open} of ${rows.length} open${state}`;
  }

  function csv() {
    const found = answers();
    const harmless = (text) => (/^[=+@\t\r]|^-./.test(text) ? `'${text}` : text);
    const quoted = (text) => `"${harmless(text).replace(/"/g, '""')}"`;
    const filled = rows.map((row, k) => columns.map((column) => (column === "annotator" ? name.value : found[`${k} ${column}`] ?? row[column])));
    return [columns, ...filled].map((line) => line.map(quoted).join(",") + "\r\n").join("");
  }

  document.addEventListener("input", () => {
    saved = false;
    keep();
    tell();
  });
  byId("save").addEventListener("click", () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([csv()], { type: "text/csv" }));
    link.download = "answers.csv";
    link.click();
    saved = true;
    keep();
    tell();
  });
  addEventListener("beforeunload", (event) => {
    if (!saved) event.preventDefault();
  });
  restore();
  tell();
}
