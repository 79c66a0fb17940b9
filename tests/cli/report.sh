# teg report: a page that stands alone, is escaped, bounded and, where there is
# a browser, works in it.
. tests/cli/lib.sh

evil='<script>alert(1)</script>'
small_trace "$work/saxpy.traceg"
sed "s|= saxpy|= $evil|" "$work/saxpy.traceg" >"$work/evil.traceg"

expect 0 "$teg" report "$work/evil.traceg" -g v100 -o "$work/evil.html" \
    --dygraphs "$work"
no_out
err 'report: no dygraphs in .*: the charts zoom by the page.s own script'
page=$work/evil.html
check 'the name stands on the page as text' \
    grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' "$page"
check 'and nowhere as an element' [ "$(grep -c -F "$evil" "$page")" = 0 ]
check 'nothing is loaded from elsewhere' \
    [ "$(grep -c -E 'src=|@import|url\([^#]|href="[^d]|https?://' "$page")" = 0 ]
check 'six charts' [ "$(grep -c '<div class="chart"' "$page")" = 6 ]
check 'they are drawn without a script' [ "$(grep -c '<polygon' "$page")" -gt 3 ]
check 'and what each SM did' grep -q '<svg [^>]*id="sms"' "$page"
check 'it says which trace it was' grep -q "CRC-32 $(
    gzip -c "$work/evil.traceg" | tail -c8 | od -An -tx4 -N4 | tr -d ' ')" "$page"

# Host threads change nothing on the page, nor does what has to be told in
# order (--konata).
sketch=tests/kernels/sm70/matmul.sketch
expect 0 "$teg" report $sketch -p BLOCKS=60 -g v100 -j 1 -o "$work/one.html"
expect 0 "$teg" report $sketch -p BLOCKS=60 -g v100 -j 3 -o "$work/three.html"
check 'three threads make the same page' \
    cmp -s "$work/one.html" "$work/three.html"
expect 0 "$teg" report $sketch -p BLOCKS=60 -g v100 -o "$work/order.html" \
    --konata "$work/log.konata"
check 'so does a replay in order' cmp -s "$work/one.html" "$work/order.html"

# A trace of compiled code has lines; where their file is at hand, its text.
expect 0 "$teg" trace tests/kernels/flaws/flaws.fatbin --kernel transpose_flaw \
    --grid 16 --block 256 -a buf:f32:16384:random -a buf:f32:16384:zeros \
    -o "$work/lines.tegt"
expect 0 "$teg" report "$work/lines.tegt" -g a100 -o "$work/lines.html"
check 'source lines stand on the page' grep -q 'id="source"' "$work/lines.html"
check 'with their instructions' grep -q ' %  0[0-9a-f]*  LDS' "$work/lines.html"
check 'and what they cost adds up' [ "$(sed -n '/id="source"/,/<\/table>/p' \
    "$work/lines.html" | sed -n 's/.*<td class="n" data-v="\([0-9.]*\)">[0-9.]* %<.*/\1/p' |
    awk '{s += $1} END {print (s > 0.99 && s < 1.01)}')" = 1 ]
check 'the memory chart has the bytes of the report' sh -c "grep -A20 'id=.memory' \
    '$work/lines.html' | grep -q '>131 kB<'"
check 'a trace without lines says how to have them' \
    grep -q 'compile with -lineinfo' "$work/evil.html"

# As many instructions as rows fit, and more.
{
    sed -n '1,/^insts/p' "$work/saxpy.traceg" | sed 's/^insts = .*/insts = 9001/;
        s/(2,1,1)/(1,1,1)/; s/(64,1,1)/(32,1,1)/'
    awk 'BEGIN {
        for (i = 0; i < 9000; i++)
            printf "%04x ffffffff 1 R%d FFMA 3 R4 R6 R5 0 0\n", 16 * i, i % 8
        printf "%x ffffffff 0 EXIT 0 0 0\n\n#END_TB\n", 16 * 9000
    }'
} >"$work/long.traceg"
expect 0 "$teg" report "$work/long.traceg" -g v100 -o "$work/long.html"
check 'a long program leaves the page under 2 MB' \
    [ "$(wc -c <"$work/long.html")" -lt 2000000 ]
check 'and says what was left out' grep -q '7501 less stalled' "$work/long.html"

expect 0 "$teg" report "$work/saxpy.traceg" -g v100 --ranking -o "$work/rank.html"
check 'what would help stands at the top' grep -q 'Would help most:</p><ol>' "$work/rank.html"
check 'and where the warps wait' \
    grep -q 'Most waiting: before 0030 <code>FFMA.*for the result of 00[12]0 <code>LDG' "$work/rank.html"
check 'a model without cycles shows none' \
    sh -c "grep '<td>ryoo' '$work/rank.html' | grep -q '<td class=\"n\">n/a</td><td></td>'"
check 'no number is nan' [ "$(grep -c '>-*nan<' "$work/rank.html")" = 0 ]
check 'the ranking stands there when asked for' \
    grep -q 'no-memory-latency' "$work/rank.html"
# The chain of adds is its own critical sequence, 24 cycles a link.
expect 0 "$teg" report tests/kernels/gt200/fadd_chain.sketch -g gtx280 --critical \
    -o "$work/critical.html"
check 'the critical sequence stands there when asked for' \
    grep -q 'FADD32 R4, R4, R2</td><td.*>1</td><td.*>24</td>.*<td>wait</td>' "$work/critical.html"
check 'and only then' [ "$(grep -c '<h2>Critical sequence' "$work/rank.html")" = 0 ]
expect 1 "$teg" report "$work/none.traceg" -g v100 -o "$work/none.html"
check 'a failed report leaves no page' [ ! -e "$work/none.html" ]

# ---- in a browser ----------------------------------------------------------------

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
# What it shows is the same with sanitizers.
case ${BUILD:-} in *asan) browser= ;; esac
dygraphs=/usr/share/javascript/dygraphs/dygraph.min.js
if [ -z "$browser" ]; then
    echo 'skipped: report pages in a browser (needs chromium, without sanitizers)'
    finish
fi

# Options and an address.
chrome() {
    HOME=$work timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
        --hide-scrollbars --user-data-dir="$work/profile" "$@"
}
# Loads page $1 with the script $2 added, in a window of $3; leaves the page
# and the log.
browse() {
    {
        sed '$d' "$1"
        printf '<script>%s</script></body></html>\n' "$2"
    } >"$work/browsed.html"
    chrome --enable-logging=stderr --window-size="${3:-1280,1000}" --dump-dom \
        "file://$work/browsed.html" >"$work/dom" 2>"$work/log"
}
root() {
    sed -n 's/.*<html[^>]* data-'"$1"'="\([^"]*\)".*/\1/p' "$work/dom"
}

# The page's own charts: drawn anew from a part of the time, back again, and
# every value of a cycle.
expect 0 "$teg" report tests/kernels/sm70/matmul.sketch -p BLOCKS=80 -g v100 \
    -o "$work/own.html" --dygraphs "$work"
browse "$work/own.html" '
var d = document, set = d.documentElement.dataset;
var svg = d.querySelector("#states-chip svg"), r = svg.getBoundingClientRect();
function ticks() { return Array.prototype.map.call(svg.querySelectorAll("text"), function (t) {
  return t.textContent; }).join(" "); }
function send(type, at) { svg.dispatchEvent(new MouseEvent(type, {clientX: r.left + at * r.width,
  clientY: r.top + 20, bubbles: true})); }
svg.setPointerCapture = null;
set.before = ticks(); set.area = svg.querySelectorAll("polygon").length;
send("pointerdown", 0.4); send("pointermove", 0.5); send("pointerup", 0.5);
set.zoomed = ticks();
set.others = d.querySelector("#units-chip svg text:last-of-type").textContent;
send("pointermove", 0.5);
set.told = d.querySelector("#states-chip .values").textContent;
send("dblclick", 0.5);
set.after = svg.querySelectorAll("polygon").length;'
check 'no error with its own charts' [ "$(grep -c CONSOLE "$work/log")" = 0 ]
check 'it draws a part of the time' [ "$(root before)" != "$(root zoomed)" ]
check 'and all of it again' [ "$(root after)" -ge 3 ]
check 'a cycle has values' sh -c "echo '$(root told)' | grep -q 'cycle [0-9]*: issued [0-9.]*, '"

# At most five screens tall before one unfolds something, and as wide as the
# window, on a phone, a laptop and a large screen: nor do labels of the roofline
# lie on each other or on the dots.
expect 0 "$teg" trace tests/kernels/flaws/flaws.fatbin --kernel transpose_flaw \
    --grid 432 --block 256 -a buf:f32:442368:random -a buf:f32:442368:zeros \
    -o "$work/transpose.tegt"
expect 0 "$teg" report "$work/transpose.tegt" -g a100 --ranking -o "$work/tall.html"
for size in 390,844 1280,800 2560,1440; do
    width=${size%,*} height=${size#*,}
    cat >"$work/frame.html" <<EOT
<!DOCTYPE html><html><body><iframe id="f" style="width:${width}px;height:${height}px"
src="tall.html"></iframe><script>
document.getElementById("f").onload = function () {
  var d = this.contentDocument, e = d.documentElement, set = document.documentElement.dataset;
  set.screens = e.scrollHeight / $height; set.beyond = e.scrollWidth - e.clientWidth;
  var boxes = Array.prototype.map.call(d.querySelectorAll(
    "#roofline text[text-anchor=end], #roofline circle"), function (t) {
    return t.getBoundingClientRect(); });
  var texts = boxes.filter(function (b) { return Math.abs(b.width - b.height) > 1; });
  set.overlaps = texts.filter(function (a) { return boxes.some(function (b) {
    return b !== a && a.left < b.right && b.left < a.right && a.top + 2 < b.bottom - 2 &&
      b.top + 2 < a.bottom - 2; }); }).length;
};</script></body></html>
EOT
    chrome --allow-file-access-from-files --virtual-time-budget=5000 --dump-dom \
        --window-size=2600,1500 "file://$work/frame.html" >"$work/dom" 2>"$work/log"
    check "five screens at most at $size: $(root screens)" \
        awk -v n="$(root screens)" 'BEGIN { exit !(n > 1 && n <= 5.05) }'
    check "no wider than the window at $size" [ "$(root beyond)" = 0 ]
    check "labels apart at $size" [ "$(root overlaps)" = 0 ]
done

if [ ! -e $dygraphs ]; then
    echo 'skipped: charts of dygraphs (needs libjs-dygraphs)'
    finish
fi
expect 0 "$teg" report tests/kernels/sm70/matmul.sketch -p BLOCKS=80 -g v100 \
    -o "$work/page.html"
no_err
browse "$work/page.html" 'throw new Error("seen")'
check 'the log shows errors of a page' grep -q 'CONSOLE.*seen' "$work/log"
browse "$work/page.html" '
var d = document, set = d.documentElement.dataset;
set.drawn = Array.prototype.filter.call(d.querySelectorAll(".chart"), function (c) {
  return Array.prototype.some.call(c.querySelectorAll("canvas"), function (k) {
    return k.width > 0 && Array.prototype.some.call(k.getContext("2d")
      .getImageData(0, 0, k.width, k.height).data, function (v) { return v !== 0; });
  });
}).length;
var body = d.querySelector("#instructions tbody"), head = d.querySelector("#instructions th");
set.before = body.rows[0].cells[0].textContent;
head.click(); set.down = body.rows[0].cells[0].textContent;
head.click(); set.up = body.rows[0].cells[0].textContent;
var input = d.getElementById("filter");
input.value = "bar.sync"; input.dispatchEvent(new Event("input"));
set.filtered = Array.prototype.filter.call(body.rows, function (r) { return !r.hidden; }).length;
set.wide = d.documentElement.scrollWidth > innerWidth + 1;
function axis(id) {
  return Array.prototype.map.call(d.querySelectorAll("#" + id + " .dygraph-axis-label-x"),
    function (l) { return l.textContent; }).join();
}
set.tall = d.documentElement.scrollHeight / innerHeight > 5;
set.contents = d.querySelectorAll("#contents a").length >= 8;
var fold = d.querySelector("details.charts");
set.folded = d.querySelector("#units-sm canvas").getBoundingClientRect().width;
fold.open = true; fold.dispatchEvent(new Event("toggle"));
set.unfolded = d.querySelector("#units-sm canvas").getBoundingClientRect().width > 300;
var first = axis("states-chip"), second = axis("units-sm");
var canvas = d.querySelectorAll("#states-chip canvas")[1], box = canvas.getBoundingClientRect();
function mouse(what, on, x) {
  on.dispatchEvent(new MouseEvent(what, {bubbles: true, cancelable: true, view: window,
    button: 0, clientX: box.left + x, clientY: box.top + 50}));
}
mouse("mousedown", canvas, 200);
mouse("mousemove", d, 300);
mouse("mouseup", d, 300);
set.zoomed = axis("states-chip") !== first && axis("units-sm") !== second;
mouse("mousedown", canvas, 300);
mouse("mouseup", d, 300);
mouse("dblclick", canvas, 300);
set.back = axis("states-chip") === first && axis("units-sm") === second;'
check 'the page is at most five screens tall before one unfolds something' \
    [ "$(root tall)" = false ]
check 'its contents stand on it' [ "$(root contents)" = true ]
check 'charts that are unfolded have their size' [ "$(root unfolded)" = true ]
check 'the page loads without console errors' \
    [ "$(grep -c CONSOLE "$work/log")" = 0 ]
check 'six charts are live' [ "$(root charts)" = 6 ]
check 'and drawn' [ "$(root drawn)" = 6 ]
check 'a click sorts by pc, the highest first' [ "$(root down)" = 0390 ]
check 'another one the lowest' [ "$(root up)" = 0000 ]
check 'the filter leaves the two barriers' [ "$(root filtered)" = 2 ]
check 'nothing is wider than the window' [ "$(root wide)" = false ]
check 'dragging across a chart zooms all of them' [ "$(root zoomed)" = true ]
check 'and a double click goes back' [ "$(root back)" = true ]
browse "$work/page.html" '
document.documentElement.dataset.wide =
  document.documentElement.scrollWidth > innerWidth + 1;' 400,900
check 'nor than that of a phone' [ "$(root wide)" = false ]
browse "$page" ''
check 'a hostile name runs nothing' \
    [ "$(grep -c CONSOLE "$work/log")" = 0 ]

# Pictures: as large as the window, and far more in them than in an empty page.
picture() { # WIDTH HEIGHT NAME URL [OPTION]
    chrome --window-size="$1,$2" --screenshot="$work/$3.png" $5 "$4" \
        >/dev/null 2>&1
}
size_of() {
    od -An -tu1 -j16 -N8 "$work/$1.png" |
        awk '{print ($3 * 256 + $4) "x" ($7 * 256 + $8)}'
}
for window in 1280x1600 400x900; do
    width=${window%x*} height=${window#*x}
    picture $width $height empty 'data:text/html,<p></p>'
    picture $width $height page "file://$work/page.html"
    picture $width $height dark "file://$work/page.html" \
        --blink-settings=preferredColorScheme=0
    check "a picture of $window" [ "$(size_of page)" = $window ]
    check 'is not empty' [ "$(wc -c <"$work/page.png")" -gt \
        $((8 * $(wc -c <"$work/empty.png"))) ]
    check 'nor is it in the dark' [ "$(wc -c <"$work/dark.png")" -gt \
        $((8 * $(wc -c <"$work/empty.png"))) ]
    check 'where it looks different' \
        sh -c "! cmp -s '$work/page.png' '$work/dark.png'"
done

# 4 blocks leave 76 of 80 SMs idle, which is more than anything that the four do.
expect 0 "$teg" run tests/kernels/sm70/compute.sketch -g v100 -p BLOCKS=4
out 'bound by *small launch: SMs that had work: 4'

finish
