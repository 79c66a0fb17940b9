# teg report: a page that stands alone, is escaped, bounded and, where there is
# a browser, works in it.
. tests/cli/lib.sh

evil='<script>alert(1)</script>'
small_trace "$work/saxpy.traceg"
sed "s|= saxpy|= $evil|" "$work/saxpy.traceg" >"$work/evil.traceg"

expect 0 "$teg" report "$work/evil.traceg" -g v100 -o "$work/evil.html" \
    --dygraphs "$work"
no_out
err 'report: no dygraphs in .*: the charts will not zoom.*apt-get install'
page=$work/evil.html
check 'the name stands on the page as text' \
    grep -q '&lt;script&gt;alert(1)&lt;/script&gt;' "$page"
check 'and nowhere as an element' [ "$(grep -c -F "$evil" "$page")" = 0 ]
check 'nothing is loaded from elsewhere' \
    [ "$(grep -c -E 'src=|@import|url\([^#]|href="[^d]|https?://' "$page")" = 0 ]
check 'five static charts' [ "$(grep -c '<div class="chart"' "$page")" = 5 ]
check 'they are drawn without a script' [ "$(grep -c '<polygon' "$page")" -gt 3 ]
check 'it says which trace it was' grep -q "CRC-32 $(
    gzip -c "$work/evil.traceg" | tail -c8 | od -An -tx4 -N4 | tr -d ' ')" "$page"
check 'and why the charts are static' grep -q 'dygraphs was not installed' "$page"

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
check 'and says what was left out' grep -q '7001 less stalled' "$work/long.html"

expect 0 "$teg" report "$work/saxpy.traceg" -g v100 --ranking -o "$work/rank.html"
check 'the ranking stands there when asked for' \
    grep -q 'no-memory-latency' "$work/rank.html"
expect 1 "$teg" report "$work/none.traceg" -g v100 -o "$work/none.html"
check 'a failed report leaves no page' [ ! -e "$work/none.html" ]

# ---- in a browser ----------------------------------------------------------------

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
dygraphs=/usr/share/javascript/dygraphs/dygraph.min.js
if [ -z "$browser" ] || [ ! -e $dygraphs ]; then
    echo 'skipped: report pages in a browser (needs chromium and libjs-dygraphs)'
    finish
fi

# Loads page $1 with the script $2 added; leaves the page and the log.
browse() {
    {
        sed '$d' "$1"
        printf '<script>%s</script></body></html>\n' "$2"
    } >"$work/browsed.html"
    HOME=$work timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
        --enable-logging=stderr --user-data-dir="$work/profile" --dump-dom \
        "file://$work/browsed.html" >"$work/dom" 2>"$work/log"
}
root() {
    sed -n 's/.*<html[^>]* data-'"$1"'="\([^"]*\)".*/\1/p' "$work/dom"
}

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
set.wide = d.documentElement.scrollWidth > innerWidth + 1;'
check 'the page loads without console errors' \
    [ "$(grep -c CONSOLE "$work/log")" = 0 ]
check 'five charts are live' [ "$(root charts)" = 5 ]
check 'and drawn' [ "$(root drawn)" = 5 ]
check 'a click sorts by pc, the highest first' [ "$(root down)" = 0390 ]
check 'another one the lowest' [ "$(root up)" = 0000 ]
check 'the filter leaves the two barriers' [ "$(root filtered)" = 2 ]
check 'nothing is wider than the window' [ "$(root wide)" = false ]
browse "$page" ''
check 'a hostile name runs nothing' \
    [ "$(grep -c CONSOLE "$work/log")" = 0 ]

HOME=$work timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
    --user-data-dir="$work/profile" --window-size=400,900 \
    --screenshot="$work/phone.png" "file://$work/page.html" >/dev/null 2>&1
check 'the screenshot of a phone is not empty' \
    [ "$(wc -c <"$work/phone.png")" -gt 20000 ]

finish
