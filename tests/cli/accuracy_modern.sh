# Published micro-benchmarks of chips since Fermi, those that take no time:
# each within the bound that tools/accuracy/modern/micro.csv gives.
if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: published micro-benchmarks: python3 is not installed"
    exit 0
fi
TEG=${BUILD:-build/release}/teg exec python3 tools/accuracy/modern/micro.py --check
