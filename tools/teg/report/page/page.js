/* Makes the page's charts zoom and its tables sort and filter. The page is
 * complete without it. */
(function () {
  'use strict';
  var element = document.getElementById('data');
  var data = element ? JSON.parse(element.textContent) : {charts: []};

  /* The library puts the first of stacked series on top, the page last. */
  function stack(c) {
    c.labels = [c.labels[0]].concat(c.labels.slice(1).reverse());
    c.colors.reverse();
    c.rows = c.rows.map(function (r) { return [r[0]].concat(r.slice(1).reverse()); });
  }

  function charts() {
    var live = [], busy = false;
    function follow(self, from, to) {
      if (busy) { return; }
      busy = true;
      live.forEach(function (g) {
        if (g !== self) { g.updateOptions({dateWindow: from === null ? null : [from, to]}); }
      });
      busy = false;
    }
    data.charts.forEach(function (c) {
      var box = document.getElementById(c.id);
      if (!box || c.rows.length < 2) { return; }
      if (c.stacked) { stack(c); }
      box.textContent = '';
      box.classList.add('live');
      var g = new Dygraph(box, c.rows, {
        labels: c.labels, colors: c.colors, stackedGraph: c.stacked,
        fillGraph: c.stacked, fillAlpha: 0.95, strokeWidth: c.stacked ? 0.5 : 1.3,
        includeZero: true, legend: 'follow', labelsSeparateLines: true,
        axes: {x: {drawGrid: false}}, gridLineColor: 'rgba(128,128,128,0.3)',
        digitsAfterDecimal: 2, animatedZooms: false,
        zoomCallback: function (from, to) {
          follow(g, g.isZoomed('x') ? from : null, to);
        }
      });
      live.push(g);
    });
    unfold(live);
    document.documentElement.dataset.charts = String(live.length);
    return live.length;
  }

  /* Charts that were folded when they were made have no size yet. */
  function unfold(live) {
    Array.prototype.forEach.call(document.querySelectorAll('details.charts'), function (d) {
      d.addEventListener('toggle', function () {
        live.forEach(function (g) { g.resize(); });
      });
    });
  }

  /* 1, 2 or 5 times a power of ten, of which the span has at most six. */
  function roundStep(span) {
    var step = Math.pow(10, Math.floor(Math.log10(span / 6)));
    for (var i = 0; span / step > 6; i++) { step *= [2, 2.5, 2][i % 3]; }
    return step;
  }

  var LEFT = 44, WIDTH = 720, HEIGHT = 200, BOTTOM = 20;

  /* What a chart shows from one cycle to another, as the page itself draws it. */
  function drawing(c, from, to) {
    var rows = c.rows.filter(function (r) { return r[0] >= from && r[0] <= to; });
    var top = 0, out = '', count = c.labels.length - 1;
    function base(row, k) {
      var sum = 0;
      for (var i = 1; c.stacked && i < k; i++) { sum += row[i]; }
      return sum;
    }
    function x(cycle) { return LEFT + (WIDTH - LEFT) * (cycle - from) / (to - from); }
    function y(v) { return 4 + (HEIGHT - BOTTOM - 4) * (1 - v / top); }
    function text(at, up, anchor, v) {
      out += '<text x="' + at + '" y="' + up + '" text-anchor="' + anchor + '">' +
        Number(v.toPrecision(12)) + '</text>';
    }
    rows.forEach(function (r) {
      for (var k = 1; k <= count; k++) { top = Math.max(top, base(r, k) + r[k]); }
    });
    top = top || 1;
    for (var v = 0, step = roundStep(top); v <= top; v += step) {
      out += '<line class="grid" x1="' + LEFT + '" x2="' + WIDTH + '" y1="' + y(v) + '" y2="' + y(v) + '"/>';
      text(LEFT - 4, y(v) + 4, 'end', v);
    }
    for (var s = roundStep(to - from), at = Math.ceil(from / s) * s; at <= to; at += s) {
      text(x(at), HEIGHT - 4, x(at) < LEFT + 20 ? 'start' : x(at) > WIDTH - 20 ? 'end' : 'middle', at);
    }
    for (var k = 1; k <= count; k++) {
      var line = rows.map(function (r) { return x(r[0]) + ',' + y(base(r, k) + r[k]); });
      var under = rows.map(function (r) { return x(r[0]) + ',' + y(base(r, k)); }).reverse();
      out += c.stacked ?
        '<polygon fill="' + c.colors[k - 1] + '" points="' + line.concat(under).join(' ') + '"/>' :
        '<polyline fill="none" stroke="' + c.colors[k - 1] + '" points="' + line.join(' ') + '"/>';
    }
    return out;
  }

  /* Charts that zoom and tell their values, without a library. */
  function plainCharts() {
    var shown = [];
    function zoom(from, to) { shown.forEach(function (s) { s(from, to); }); }
    data.charts.forEach(function (c) {
      var box = document.getElementById(c.id), svg = box && box.querySelector('svg');
      if (!svg || c.rows.length < 2) { return; }
      var half = (c.rows[1][0] - c.rows[0][0]) / 2, start = null;
      var first = c.rows[0][0] - half, end = c.rows[c.rows.length - 1][0] + half;
      var from = first, to = end, values = document.createElement('p');
      values.className = 'values';
      box.appendChild(values);
      function cycle(e) {
        var r = svg.getBoundingClientRect(), at = (e.clientX - r.left) / r.width * WIDTH;
        return from + (to - from) * Math.min(Math.max((at - LEFT) / (WIDTH - LEFT), 0), 1);
      }
      function x(at) { return LEFT + (WIDTH - LEFT) * (at - from) / (to - from); }
      function mark(tag, attributes) {
        var old = svg.querySelector('.' + attributes['class']);
        var e = old || document.createElementNS(svg.namespaceURI, tag);
        Object.keys(attributes).forEach(function (a) { e.setAttribute(a, attributes[a]); });
        svg.appendChild(e);
      }
      function tell(at) {
        var row = c.rows.reduce(function (a, b) {
          return Math.abs(b[0] - at) < Math.abs(a[0] - at) ? b : a;
        });
        values.textContent = 'cycle ' + Math.round(row[0]) + ': ' + c.labels.slice(1).map(function (l, i) {
          return [row[i + 1], l];
        }).filter(function (v) { return v[0] > 0; }).map(function (v) {
          return v[1] + ' ' + v[0];
        }).join(', ');
        mark('line', {'class': 'at', x1: x(row[0]), x2: x(row[0]), y1: 4, y2: HEIGHT - BOTTOM});
      }
      svg.addEventListener('pointerdown', function (e) {
        start = cycle(e);
        if (svg.setPointerCapture) { svg.setPointerCapture(e.pointerId); }
      });
      svg.addEventListener('pointermove', function (e) {
        var at = cycle(e);
        tell(at);
        if (start !== null) {
          mark('rect', {'class': 'drag', x: x(Math.min(start, at)), y: 4, height: HEIGHT - BOTTOM - 4,
            width: Math.abs(x(at) - x(start))});
        }
      });
      svg.addEventListener('pointerup', function (e) {
        var a = Math.min(start, cycle(e)), b = Math.max(start, cycle(e)), drawn = start !== null;
        start = null;
        if (drawn && b - a > 4 * half) { zoom(a, b); }
      });
      svg.addEventListener('dblclick', function () { zoom(null, null); });
      shown.push(function (a, b) {
        from = a === null ? first : Math.max(a, first);
        to = b === null ? end : Math.min(b, end);
        svg.innerHTML = drawing(c, from, to);
      });
    });
    document.documentElement.dataset.charts = String(shown.length);
  }

  /* A long table begins with its first rows, a button has the others. */
  function shorten(table) {
    var rows = table.tBodies[0].rows, most = 50;
    if (rows.length <= most) { return; }
    var button = document.createElement('button'), box = table.parentNode;
    function show(all) {
      Array.prototype.forEach.call(rows, function (row, i) {
        row.classList.toggle('later', !all && i >= most);
      });
      button.hidden = all;
      button.textContent = 'all ' + rows.length + ' rows';
    }
    button.addEventListener('click', function () { show(true); });
    box.parentNode.insertBefore(button, box.nextSibling);
    table.addEventListener('ordered', function () { show(button.hidden); });
    show(false);
  }

  /* What is on the page, beside it where there is room. */
  function contents() {
    var nav = document.createElement('nav'), first = document.querySelector('h1');
    var heads = document.querySelectorAll('h2');
    if (!first || heads.length < 3) { return; }
    nav.id = 'contents';
    nav.setAttribute('aria-label', 'contents');
    Array.prototype.forEach.call(heads, function (h, i) {
      var a = document.createElement('a');
      h.id = h.id || 'section-' + (i + 1);
      a.href = '#' + h.id;
      a.textContent = h.textContent;
      nav.appendChild(a);
    });
    first.parentNode.insertBefore(nav, first);
  }

  function value(row, column) {
    var cell = row.cells[column];
    return 'v' in cell.dataset ? Number(cell.dataset.v) : cell.textContent;
  }

  function sortable(table) {
    var heads = table.tHead.rows[0].cells, body = table.tBodies[0];
    Array.prototype.forEach.call(heads, function (head, column) {
      head.tabIndex = 0;
      function sort() {
        var down = head.getAttribute('aria-sort') !== 'descending';
        var rows = Array.prototype.slice.call(body.rows);
        rows.sort(function (a, b) {
          var x = value(a, column), y = value(b, column);
          var order = typeof x === 'number' && typeof y === 'number' ?
            x - y : String(x).localeCompare(String(y));
          return down ? -order : order;
        });
        Array.prototype.forEach.call(heads, function (h) { h.removeAttribute('aria-sort'); });
        head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
        rows.forEach(function (row) { body.appendChild(row); });
        table.dispatchEvent(new Event('ordered'));
      }
      head.addEventListener('click', sort);
      head.addEventListener('keydown', function (e) { if (e.key === 'Enter') { sort(); } });
    });
  }

  function filter(input, table) {
    input.addEventListener('input', function () {
      var words = input.value.toLowerCase().split(/\s+/);
      Array.prototype.forEach.call(table.tBodies[0].rows, function (row) {
        var text = row.textContent.toLowerCase();
        row.hidden = !words.every(function (w) { return text.indexOf(w) >= 0; });
        table.classList.toggle('filtered', input.value !== '');
      });
    });
    input.hidden = false;
  }

  Array.prototype.forEach.call(document.querySelectorAll('table.sort'), function (t) {
    sortable(t);
    shorten(t);
  });
  contents();
  var input = document.getElementById('filter'), table = document.getElementById('instructions');
  if (input && table) { filter(input, table); }
  if (typeof Dygraph !== 'undefined') { charts(); } else { plainCharts(); }
}());
