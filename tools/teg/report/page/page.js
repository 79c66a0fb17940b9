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
  if (typeof Dygraph !== 'undefined') { charts(); }
}());
