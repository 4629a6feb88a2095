// Charts from the page's own data, and sliders of pictures. Needs nothing from outside.
"use strict";
(() => {
  for (const box of document.querySelectorAll(".compare")) {
    const slider = box.querySelector("input");
    const move = () => box.style.setProperty("--at", slider.value + "%");
    slider.addEventListener("input", move);
    move();
  }

  const data = document.getElementById("charts");
  if (!data) return;
  const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const family = getComputedStyle(document.body).fontFamily;
  const text = (v, digits) => v.toFixed(digits).replace("-", "\u2212");
  const short = v => {
    const a = Math.abs(v), s = a >= 1e6 ? +(v / 1e6).toPrecision(4) + " M" : a >= 1e4 ? +(v / 1e3).toPrecision(4) + " k" : String(+v.toPrecision(6));
    return s.replace("-", "\u2212");
  };
  const axis = more => Object.assign({
    stroke: style("--soft"), font: "12px " + family, labelFont: "12px " + family,
    grid: { stroke: style("--line"), width: 1 }, ticks: { show: false },
    values: (_, list) => list.map(v => v === null ? "" : short(v)),
  }, more);
  const xAxis = label => axis({ label, labelSize: 18, size: 28, space: 70, grid: { show: false }, ticks: { show: true, stroke: style("--line"), size: 4 } });
  const readout = (box, say) => u => {
    const i = u.cursor.idx;
    box.closest("figure").querySelector("output").textContent = i === null || i === undefined ? "" : say(i);
  };

  // A line over x, its points marked where they are few.
  function line(box, c) {
    const xs = c.points.map(p => p[0]), ys = c.points.map(p => p[1]);
    const around = (_, lo, hi) => {
      if (lo === hi) return [lo - Math.max(Math.abs(lo) * .05, .5), hi + Math.max(Math.abs(hi) * .05, .5)];
      const room = (hi - lo) * .08;
      return [lo >= 0 ? Math.max(0, lo - room) : lo - room, hi + room];
    };
    return new uPlot({
      width: box.clientWidth, height: box.clientHeight, legend: { show: false },
      cursor: { y: false, drag: { x: false, y: false }, points: { size: 7 } },
      scales: { x: { time: false, range: (_, lo, hi) => lo === hi ? [Math.max(0, lo - 1), hi + 1] : [Math.min(0, lo), hi] }, y: { range: around } },
      axes: [xAxis(c.x), axis({ size: 52 })],
      series: [{}, { stroke: style("--accent"), width: 1.75, points: { show: xs.length < 16, size: 6, fill: style("--accent") } }],
      hooks: { setCursor: [readout(box, i => text(ys[i], c.digits) + (c.unit ? " " + c.unit : "") + " at " + short(xs[i]))] },
    }, [xs, ys], box);
  }

  // Numbered rows: a noise band around 0, an interval, a mark. Open ends reach the edge.
  function intervals(box, c) {
    const rows = c.rows, n = rows.length;
    const known = rows.flatMap(r => [r.low, r.high, r.mark]).concat(c.gate, 0).filter(v => typeof v === "number");
    const far = 2 * Math.max(...known.map(Math.abs)) || Infinity, noise = rows.map(r => Math.min(r.noise || 0, far));
    const lo = Math.min(...known, ...noise.map(v => -v)), hi = Math.max(...known, ...noise), room = (hi - lo) * .08 || 1;
    const draw = u => {
      const x = v => u.valToPos(v, "x", true), y = i => u.valToPos(n - i, "y", true), k = uPlot.pxRatio, g = u.ctx, b = u.bbox;
      g.save();
      const vertical = (v, colour, dash) => {
        g.strokeStyle = colour; g.lineWidth = k; g.setLineDash(dash);
        g.beginPath(); g.moveTo(x(v), b.top); g.lineTo(x(v), b.top + b.height); g.stroke();
      };
      rows.forEach((r, i) => {
        if (!r.noise) return;
        g.fillStyle = style("--band");
        const from = Math.max(x(-r.noise), b.left), to = Math.min(x(r.noise), b.left + b.width);
        g.fillRect(from, y(i) - 9 * k, to - from, 18 * k);
      });
      vertical(0, style("--soft"), []);
      if (typeof c.gate === "number") vertical(c.gate, style("--accent"), [4 * k, 4 * k]);
      g.setLineDash([]);
      rows.forEach((r, i) => {
        const open = typeof r.low !== "number" && typeof r.high !== "number";
        if (!open) {
          g.strokeStyle = style("--accent"); g.lineWidth = 3 * k;
          g.beginPath();
          g.moveTo(typeof r.low === "number" ? x(r.low) : b.left, y(i));
          g.lineTo(typeof r.high === "number" ? x(r.high) : b.left + b.width, y(i));
          g.stroke();
        }
        g.fillStyle = style("--ink"); g.strokeStyle = style("--paper"); g.lineWidth = 1.5 * k;
        g.beginPath(); g.arc(x(r.mark), y(i), 5 * k, 0, 2 * Math.PI); g.fill(); g.stroke();
      });
      g.restore();
    };
    return new uPlot({
      width: box.clientWidth, height: box.clientHeight, legend: { show: false }, cursor: { show: false },
      scales: { x: { time: false, range: () => [lo - room, hi + room] }, y: { range: () => [.4, n + .6] } },
      axes: [xAxis(c.x), axis({ size: 34, splits: () => rows.map((_, i) => n - i), values: (_, list) => list.map(v => String(n - v + 1)), grid: { show: false } })],
      series: [{}, { show: true, stroke: "transparent", points: { show: false } }],
      hooks: { draw: [draw] },
    }, [[lo, hi], [null, null]], box);
  }

  const charts = JSON.parse(data.textContent).map(c => ({ c, box: document.getElementById(c.id) })).filter(e => e.box);
  for (const e of charts) {
    e.box.setAttribute("role", "img");
    e.box.setAttribute("aria-label", e.c.name);
  }
  const make = e => {
    if (e.plot) e.plot.destroy();
    e.plot = (e.c.kind === "line" ? line : intervals)(e.box, e.c);
  };
  charts.forEach(make);
  const watch = new ResizeObserver(list => {
    for (const { target } of list) {
      const e = charts.find(e => e.box === target);
      if (e.plot.width !== target.clientWidth || e.plot.height !== target.clientHeight) e.plot.setSize({ width: target.clientWidth, height: target.clientHeight });
    }
  });
  charts.forEach(e => watch.observe(e.box));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => charts.forEach(make));
  matchMedia("(min-resolution: 1.5dppx)").addEventListener("change", () => charts.forEach(make));
})();
