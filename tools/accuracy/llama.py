#!/usr/bin/env python3
"""A language model's tokens a second by llama.cpp, beside those that its developers
measured (docs/accuracy.md).

    llama.py --source LLAMA.CPP --bench LLAMA-BENCH [--work FOLDER] [ROW ...]

SOURCE is a checkout of llama.cpp (its gguf-py and numpy write the models), BENCH its
tools/llama-bench, built with -DGGML_CUDA=ON -DGGML_CUDA_FA=OFF and, where there is no
driver, -DCMAKE_EXE_LINKER_FLAGS=-Wl,--allow-shlib-undefined.  Models have the shape of
the published ones, random weights and one and two layers; each runs under `teg exec`
with the chip as its device, `teg program` says when what ran, and what a micro-batch
takes, from the first launch of one to that of the next, is extended linearly to all
layers: of the last but one of three (two, if it has 64 tokens or more), for the last one
also asks for a word.  ROW: those whose number is named, from 1.  FOLDER keeps models and
traces.
"""
import argparse
import json
import os
import sys

import common

# Width, width of the feed-forward layers, heads, heads of keys, words, layers.
SHAPES = {
    "8B": (4096, 14336, 32, 8, 128256, 32),
    "1B": (2048, 8192, 32, 8, 128256, 16),
}
# Bytes of a block of how many weights, and where its scale (a half) is.
BLOCKS = {"Q4_0": (18, 32, 0), "Q5_0": (22, 32, 0), "Q6_K": (210, 256, 208)}
# GPU, model, weights, tokens at once, tokens a second, of which pull request.
ROWS = [
    ("rtx3090", "8B", "Q4_0", 1, 155.02, "15802"),
    ("rtx3090", "8B", "Q4_0", 2, 277.36, "15802"),
    ("rtx3090", "8B", "Q4_0", 4, 468.95, "15802"),
    ("rtx3090", "8B", "Q4_0", 8, 570.67, "15802"),
    ("rtx3090", "1B", "F32", 1, 201.45, "15131"),
    ("rtx3090", "1B", "F32", 4, 711.83, "15131"),
    ("rtx3090", "1B", "F32", 7, 1206.49, "15131"),
    ("rtx4090", "8B", "Q4_0", 10, 1216.63, "15131"),
    ("rtx4090", "8B", "Q4_0", 16, 1930.50, "15131"),
    ("rtx4090", "8B", "Q5_0", 16, 1827.73, "24127"),
    ("rtx4090", "8B", "Q5_0", 64, 5773.58, "24127"),
    ("rtx4090", "8B", "Q5_0", 512, 11810.0, "24127"),
]


class Model:
    """Writes a llama of random weights."""

    def __init__(self, source, path, size, weights, layers):
        sys.path.insert(0, os.path.join(source, "gguf-py"))
        try:
            import gguf
            import numpy
        except ImportError as e:
            raise common.Refused(
                f"{e} (looked in {source}/gguf-py)") from e
        self.gguf, self.numpy = gguf, numpy
        self.random = numpy.random.default_rng(1)
        self.out = gguf.GGUFWriter(path, "llama")
        self.write(weights, layers, *SHAPES[size][:5])

    def matrix(self, name, rows, columns, weights):
        np = self.numpy
        if weights == "F32":
            self.out.add_tensor(
                name, (self.random.random((rows, columns), np.float32) - .5) *
                np.float32(.02))
            return
        size, count, scale = BLOCKS[weights]
        block = self.random.integers(0, 256, (rows * columns // count, size),
                                     np.uint8)
        block[:, scale:scale + 2] = np.frombuffer(
            np.float16(.001).tobytes(), np.uint8)
        if weights == "Q6_K":
            block[:, 192:208] = 1
        self.out.add_tensor(
            name, block.reshape(rows, -1),
            raw_shape=(rows, columns // count * size),
            raw_dtype=getattr(self.gguf.GGMLQuantizationType, weights))

    def ones(self, name, n):
        self.out.add_tensor(name, self.numpy.ones(n, self.numpy.float32))

    def write(self, weights, layers, width, feed, heads, keys, words):
        out = self.out
        out.add_context_length(8192)
        out.add_embedding_length(width)
        out.add_block_count(layers)
        out.add_feed_forward_length(feed)
        out.add_head_count(heads)
        out.add_head_count_kv(keys)
        out.add_layer_norm_rms_eps(1e-5)
        out.add_rope_dimension_count(width // heads)
        out.add_vocab_size(words)
        out.add_tokenizer_model("no_vocab")
        self.matrix("token_embd.weight", words, width, weights)
        if weights != "F32":
            self.matrix("output.weight", words, width, "Q6_K")
        self.ones("output_norm.weight", width)
        for i in range(layers):
            at = f"blk.{i}."
            self.ones(at + "attn_norm.weight", width)
            self.ones(at + "ffn_norm.weight", width)
            for name, rows, columns in (
                    ("attn_q", width, width),
                    ("attn_k", width // heads * keys, width),
                    ("attn_v", width // heads * keys, width),
                    ("attn_output", width, width), ("ffn_gate", feed, width),
                    ("ffn_up", feed, width), ("ffn_down", width, feed)):
                self.matrix(f"{at}{name}.weight", rows, columns, weights)
        out.write_header_to_file()
        out.write_kv_data_to_file()
        out.write_tensors_to_file()
        out.close()


def traces(a, gpu, size, weights, tokens, layers):
    model = common.keep(
        a.work, f"{size}-{weights}-{layers}.gguf",
        lambda path: Model(a.source, path, size, weights, layers))
    batches = 3 if tokens < 64 else 2
    return common.keep(
        a.work, f"{gpu}-{size}-{weights}-{layers}-{tokens}",
        lambda path: common.command(
            common.TEG, "exec", "-g", gpu, "-o", path, "--", a.bench, "-m",
            model, "-ngl", "99", "-n", "0", "-p", str(batches * tokens), "-ub",
            str(tokens), "-r", "1", "--no-warmup"))


def batch_us(a, gpu, *what):
    """What the last but one micro-batch takes."""
    text = common.command(common.TEG, "program", traces(a, gpu, *what), "-g",
                          gpu, "-f", "json")
    tasks = json.loads(text)["tasks"]
    starts = [t["start_us"] for before, t in zip(tasks, tasks[1:])
              if t["what"] == "launch" and before["what"] == "host-to-device"]
    return starts[-1] - starts[-2]


def row_of(a, gpu, size, weights, tokens, rate, whose):
    """Prints a row and returns the error of the time."""
    one, two = (batch_us(a, gpu, size, weights, tokens, layers)
                for layers in (1, 2))
    us = one + (SHAPES[size][5] - 1) * (two - one)
    error = rate * us / tokens / 1e6 - 1
    print(f"| {gpu} | {size} {weights} | {tokens} | {rate:,.1f} | "
          f"{tokens / us * 1e6:,.1f} | {error:+.1%} | {whose} |"
          .replace("%", " %"), flush=True)
    return error


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("--source", required=True)
    p.add_argument("--bench", required=True)
    p.add_argument("--work", default="build/llama")
    p.add_argument("rows", nargs="*", type=int)
    a = p.parse_args()
    print("| GPU | model | tokens at once | published, tokens/s | here | error of "
          "the time | pull request |\n| --- | --- | ---: | ---: | ---: | ---: | --- |")
    try:
        errors = [row_of(a, *row) for i, row in enumerate(ROWS, 1)
                  if not a.rows or i in a.rows]
    except common.Refused as e:
        sys.exit(f"llama.py: {e}")
    common.print_mean(errors, "points")


if __name__ == "__main__":
    main()
