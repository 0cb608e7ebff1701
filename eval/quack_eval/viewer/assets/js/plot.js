// Plotly, from the file beside the page, loaded when a chart is first shown.

let plotlyLoad = null;

function loadPlotly(source) {
  plotlyLoad ??= new Promise((done, fail) => {
    const script = el("script", { src: source });
    script.addEventListener("load", () => done(window.Plotly));
    script.addEventListener("error", () => fail(new Error(`${source} is not beside this page`)));
    document.head.append(script);
  });
  return plotlyLoad;
}

const plotLook = () => ({ paper_bgcolor: token("panel"), plot_bgcolor: token("panel"), font: { color: token("ink") } });
