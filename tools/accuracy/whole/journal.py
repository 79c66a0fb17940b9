"""Finished replays, so that a comparison that was stopped goes on where it
was.

A line of the file is one replay as JSON: its key and what came out.  The key
names all that the result depends on, so what changed is simply not found: of a
trace the sources, the compiler, the launch and the emulator, of a replay the
trace, the program teg, the description and the options.
"""
import json
import os
import threading


class Journal:
    def __init__(self, path):
        self.path, self.lock, self.found = path, threading.Lock(), {}
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    self._read(line)

    def _read(self, line):
        try:
            entry = json.loads(line)
            self.found[entry["key"]] = entry["result"]
        except (ValueError, KeyError, TypeError):
            pass  # cut off while it was written: made again

    def get(self, key):
        return self.found.get(key)

    def forget(self, which):
        """Until it is put again."""
        self.found = {k: r for k, r in self.found.items() if not which(r)}

    def put(self, key, what, result):
        """`what` is for whoever reads the file."""
        line = json.dumps({"key": key, "what": what, "result": result},
                          sort_keys=True)
        with self.lock:
            self.found[key] = result
            os.makedirs(os.path.dirname(self.path) or ".", exist_ok=True)
            with open(self.path, "a+b") as f:
                # a line that was cut off must not swallow this one
                if f.tell() > 0:
                    f.seek(-1, os.SEEK_END)
                    line = line if f.read(1) == b"\n" else "\n" + line
                f.write(line.encode() + b"\n")
