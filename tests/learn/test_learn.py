#!/usr/bin/python3
"""The statistics of tools/learn: properties the specifications ask for.

Names in brackets are the checks of the acceptance lists (P: portable
prediction, S: random forest on counters)."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools", "learn"))

import counters
import estimate
import launched
import procedure
import table
import training


def tool(name):
    """A program of tools/learn as a module."""
    loader = importlib.machinery.SourceFileLoader(
        name, os.path.join(ROOT, "tools", "learn", name))
    module = importlib.util.module_from_spec(
        importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


def samples(n=60, seed=3, times=None):
    rng = np.random.default_rng(seed)
    x = np.exp(rng.uniform(0, 8, size=(n, 4)))
    y = x[:, 0] * 2 + x[:, 1] if times is None else times
    return procedure.Problem(x, y, np.arange(n) % 5)


SMALL = procedure.Parameters("max", "mse", 10)


class Launched(unittest.TestCase):
    def test_first_last_and_between_are_taken_of_many_shapes(self):
        self.assertEqual(launched.spread(list("abc")), list("abc"))
        self.assertEqual(launched.spread(list("abcdefg")), list("adg"))

    def test_launches_are_chosen_by_kernel_and_shape(self):
        """The first of each shape that has a trace; nothing of a program that
        launched nothing."""
        def launch(name, blocks, trace):
            of = {"name": name, "grid": [blocks, 1, 1], "block": [64, 1, 1]}
            return dict(of, trace=trace) if trace else of
        with tempfile.TemporaryDirectory() as work:
            out = pathlib.Path(work)
            self.assertEqual(launched.chosen(out), [])
            (out / "kernels.json").write_text(json.dumps({"kernels": [
                launch("a", 1, None), launch("a", 1, "0"), launch("a", 1, "1"),
                launch("b", 1, "2"), launch("a", 2, "3")]}))
            self.assertEqual(
                [(k, s, pathlib.Path(p).name) for k, s, p in
                 launched.chosen(out)],
                [("a", "1,1,1/64,1,1", "0"), ("a", "2,1,1/64,1,1", "3"),
                 ("b", "1,1,1/64,1,1", "2")])


class Prediction(unittest.TestCase):
    def test_the_grid_has_24_combinations(self):  # P3
        self.assertEqual(len({str(p) for p in procedure.grid()}), 24)

    def test_thinning_is_bounded_and_reproducible(self):  # P4
        keys = ["a"] * 150 + ["b"] * 30 + ["c"] * 101
        keep = procedure.thin(keys, 100, 1)
        kept = [keys[i] for i in keep]
        self.assertEqual([kept.count(k) for k in "abc"], [100, 30, 100])
        self.assertTrue(np.array_equal(keep, procedure.thin(keys, 100, 1)))
        self.assertFalse(np.array_equal(keep, procedure.thin(keys, 100, 2)))

    def test_the_custom_split_is_balanced(self):  # P5
        rng = np.random.default_rng(1)
        times = np.concatenate([rng.uniform(1, 999, 41),
                                rng.uniform(1000, 99999, 33),
                                rng.uniform(1e5, 1e7, 19)])
        p = samples(len(times), times=times)
        longest = set(np.argsort(-times)[:5])
        splits = procedure.split(p, np.arange(len(p)), 5,
                                 np.random.default_rng(2))
        self.assertEqual(len(splits), 5)
        tested = np.concatenate([t for _, t in splits])
        self.assertEqual(len(tested), len(set(tested)))
        self.assertEqual(set(range(len(p))) - set(tested), longest)
        for train, test in splits:
            self.assertTrue(longest <= set(train))
            self.assertFalse(set(train) & set(test))
        for low, high in ((0, 1e3), (1e3, 1e5), (1e5, 1e9)):
            share = [int(np.sum((times[t] >= low) & (times[t] < high)))
                     for _, t in splits]
            self.assertLessEqual(max(share) - min(share), 1)

    def test_a_sample_does_not_predict_itself(self):  # P6
        p = samples(25)
        test, first = procedure.leave_one_out(p, SMALL, 1)
        self.assertEqual(len(test), 25)
        p.y[7] *= 1000
        _, second = procedure.leave_one_out(p, SMALL, 1)
        self.assertEqual(first[7], second[7])
        self.assertTrue(np.any(first != second))

    def test_a_kernel_does_not_predict_itself(self):
        p = samples(30)
        first = procedure.leave_kernel_out(p, SMALL, 1)
        p.y[p.kernel == 2] *= 1000
        second = procedure.leave_kernel_out(p, SMALL, 1)
        self.assertTrue(np.array_equal(first[p.kernel == 2],
                                       second[p.kernel == 2]))

    def test_errors_are_of_the_original_scale(self):  # P7
        p = samples(4, times=np.array([1.0, 10, 100, 1000]))
        predicted = p.unscaled(procedure.Grown(None, None, 1.0),
                               np.log([2.0, 10, 50, 1000]), np.arange(4))
        self.assertTrue(np.allclose(p.errors(predicted, np.arange(4)),
                                    [100, 0, 50, 0]))

    def test_predictions_stay_within_the_targets(self):  # P8, P9
        p = samples(40)
        grown = p.fit(SMALL, np.arange(40), 1)
        far = p.unscaled(grown, grown.regressor.predict(p.x * 1000),
                         np.arange(40))
        self.assertTrue(np.all(far <= p.y.max() * (1 + 1e-12)))
        p.y[:] = 3.0
        flat = p.predicted(p.fit(SMALL, np.arange(40), 1), np.arange(40))
        self.assertTrue(np.allclose(flat, 3.0, rtol=1e-14))

    def test_an_estimate_is_fitted_to_what_trees_grow_from(self):
        """3 us and 2 for each of x's first feature; a kernel that takes ten times
        as long does not tell of itself when it is left out."""
        x = np.column_stack([np.arange(1, 41), np.arange(40) % 7 + 1])
        y = 3.0 + 2 * x[:, 0]
        kernel = np.arange(40) % 4
        p = procedure.Problem(x, y, kernel, terms=[(), (0,), (1,), (0, 1)])
        grown = p.fit(SMALL, np.arange(40), 1)
        self.assertTrue(np.allclose(grown.coefficients, [3, 2, 0, 0],
                                    atol=1e-9))
        self.assertTrue(np.allclose(p.predicted(grown, np.arange(40)), y))
        far = estimate.values(estimate.columns([[1e6, 1]], [(), (0,)]),
                              grown.coefficients[:2], grown.least)
        self.assertAlmostEqual(far[0], 2000003, 3)
        p.y = np.where(kernel == 2, 10 * y, y)
        left = procedure.leave_kernel_out(p, SMALL, 1)
        self.assertTrue(np.allclose(left[kernel == 2], y[kernel == 2]))

    def test_no_coefficient_is_below_zero(self):
        """What takes time away is not in it: 9 - x is the least of 9 and 0 x."""
        a = estimate.columns(np.arange(1.0, 8)[:, None], [(), (0,)])
        found = estimate.fitted(a, 9 - np.arange(1.0, 8))
        self.assertGreater(found[0], 0)
        self.assertEqual(found[1], 0)

    def test_terms_are_those_whose_features_are_there(self):
        names = ["blocks", "warp_cycles", "global_bytes"]
        self.assertEqual(estimate.usable(names), [(), (0,), (1,)])
        self.assertEqual(len(estimate.usable(sorted(
            {n for t in estimate.TERMS for n in t}))), len(estimate.TERMS))

    def test_equal_features_with_unequal_targets_are_reported(self):  # P10
        p = samples(20)
        p.x[3] = p.x[11]
        p.y[3], p.y[11] = 10.0, 40.0
        shared, floor = procedure.duplicates(p)
        self.assertEqual(shared, 2)
        # 10 predicted: 0 and 75 %; 40 predicted: 300 and 0 %
        self.assertAlmostEqual(floor, 75 / 20)

    def test_smaller_forests_are_beginnings_of_larger_ones(self):
        p = samples(50)
        combos = procedure.grid(("max",), ("mse",), (4, 9))
        splits = procedure.split(p, np.arange(50), 5, np.random.default_rng(1))
        together = procedure.search(p, splits, combos, 7)
        apart = [procedure.search(p, splits, [c], 7)[0] for c in combos]
        self.assertTrue(np.allclose(together, apart, rtol=1e-12))

    def test_two_names_of_a_number_of_features_share_a_forest(self):
        rng = np.random.default_rng(1)
        for features, kinds in ((13, 2), (14, 2), (30, 3), (4, 2)):
            x = np.exp(rng.uniform(0, 8, size=(30, features)))
            p = procedure.Problem(x, x[:, 0] + x[:, -1], np.arange(30) % 3)
            grown = []
            fit = p.fit
            p.fit = lambda c, train, seed: grown.append(c) or fit(c, train,
                                                                  seed)
            combos = procedure.grid(criteria=("mse",), trees=(5,))
            splits = procedure.split(p, np.arange(30), 2,
                                     np.random.default_rng(1))[:1]
            together = procedure.search(p, splits, combos, 7)
            self.assertEqual(len(grown), kinds)
            del p.fit
            apart = [procedure.search(p, splits, [c], 7)[0] for c in combos]
            self.assertEqual(together, apart)

    def test_the_inner_choice_sees_no_outer_test(self):
        p = samples(40)
        seen = []
        original = procedure.search

        def watched(problem, splits, combos, seed):
            seen.append({i for train, test in splits
                         for i in list(train) + list(test)})
            return original(problem, splits, combos, seed)

        procedure.search = watched
        try:
            procedure.nested(p, procedure.grid(("max", "sqrt"), ("mse",), (4,)),
                             4, 1, 1)
        finally:
            procedure.search = original
        outer = procedure.split(p, np.arange(40), 4,
                                np.random.default_rng([1, 0]))
        self.assertEqual(len(seen), 4)
        for inner, (train, test) in zip(seen, outer):
            self.assertFalse(inner & set(test))

    def test_the_median_baseline_is_computed_by_hand(self):
        p = samples(3, times=np.array([1.0, 2.0, 4.0]))
        splits = [(np.array([0, 2]), np.array([1]))]
        # the median of log 1 and log 4 is log 2
        self.assertAlmostEqual(procedure.baselines(p, splits)[0], 0)

    def test_a_proportional_estimate_needs_no_learning(self):
        p = samples(30)
        p.over = p.y / 3
        test, out = procedure.leave_one_out(p, SMALL, 1)
        self.assertTrue(np.allclose(out, p.y, rtol=1e-12))
        self.assertTrue(np.allclose(procedure.leave_kernel_out(p, SMALL, 1),
                                    p.y, rtol=1e-12))
        scores, _ = procedure.nested(p, [SMALL], 3, 1, 1)
        self.assertLess(max(scores[0]), 1e-9)

    def test_the_uncertainty_of_a_sample_by_hand(self):
        two = np.array([1.0, 3.0])  # standard deviation sqrt 2; 2 of 4
        self.assertAlmostEqual(procedure.uncertainty(two, 4),
                               1.96 * np.sqrt(2 * (2 / 3) / 2))
        self.assertEqual(procedure.uncertainty(two, 2), 0)

    def test_the_roofline_by_hand(self):
        machine = {"chip.sms": 2, "chip.sm_clock_mhz": 1000,
                   "sm.schedulers": 4, "sm.issue_period": 1,
                   "sm.threads_max": 64, "sm.warps_max": 4,
                   "sm.blocks_max": 8, "dram.bandwidth_gbs": 3}
        # 4 blocks of 48 threads with 10 instructions: 80 warp instructions at
        # 8,000 a us; 1 block per SM, 2 waves of 10 x 12 cycles
        launch = {"instructions": 1920, "global_bytes": 3000, "blocks": 4,
                  "threads_per_block": 48}
        estimate = tool("roofline").estimate
        self.assertAlmostEqual(estimate(machine, launch, 12, 3), 3 + 1.0)
        launch["global_bytes"] = 0
        self.assertAlmostEqual(estimate(machine, launch, 12, 3), 3 + 0.24)
        self.assertAlmostEqual(estimate(machine, launch, 0, 3), 3 + 0.01)

    def test_repeats_become_their_median(self):
        data = text_table("kernel,size,time_us\n"
                          "a,1,5\nb,1,7\na,1,9\na,1,6\na,2,8\n")
        merged, repeats = training.merged(data, "time_us")
        rows = merged.rows
        self.assertEqual([(r["kernel"], r["size"], float(r["time_us"]))
                          for r in rows],
                         [("a", "1", 6), ("b", "1", 7), ("a", "2", 8)])
        # 5, 9, 6: the mean is 20/3, squares off it (25 + 49 + 4) / 9 / 2
        self.assertEqual(len(repeats), 1)
        self.assertAlmostEqual(repeats[0][0], 6)
        self.assertAlmostEqual(repeats[0][1] ** 2, (25 + 49 + 4) / 18)

    def test_buckets_add_up(self):
        inside = procedure.buckets(np.array([0, 5, 7, 30, 99, 100, 200.0]))
        self.assertAlmostEqual(sum(inside), 100)
        self.assertAlmostEqual(inside[0], 200 / 7)
        self.assertAlmostEqual(inside[-1], 100 / 7)


def observed(n=80, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.uniform(0, 1, size=(n, 5))
    y = 10 + 3 * x[:, 0] + rng.normal(0, 0.05, n)
    return counters.Observations(["x%d" % i for i in range(5)], x, y,
                                 np.arange(n) % 4, [])


FOREST = counters.Forest(trees=40)


def text_table(text):
    return table.parse("t.csv", io.StringIO(text, newline=""))


class Explanation(unittest.TestCase):
    def test_importances_add_up_to_100(self):  # S1
        o = observed()
        w = counters.importance(FOREST.fit(o.x, o.y))
        self.assertAlmostEqual(w.sum(), 100, delta=1e-9)
        self.assertTrue(np.all(w >= 0))

    def test_the_one_cause_is_found(self):  # S3
        o = observed()
        forest = counters.Forest(trees=40, candidates=1.0).fit(o.x, o.y)
        w = counters.importance(forest)
        self.assertEqual(int(np.argmax(w)), 0)
        self.assertGreater(w[0], 80)
        _, y = counters.partial_dependence(forest, o.x, 0)
        self.assertTrue(np.all(np.diff(y) > -0.02))
        self.assertGreater(y[-1] - y[0], 2)

    def test_a_left_out_row_does_not_matter(self):  # S4
        o = observed(20)
        test, first = counters.leave_one_out(FOREST, o, None, 1)
        self.assertEqual(len(test), 20)
        o.y[5] = 1e6
        _, second = counters.leave_one_out(FOREST, o, None, 1)
        self.assertEqual(first[5], second[5])

    def rows(self, scale):
        text = "time,insts,busy,same,kernel\n"
        for i in range(12):
            text += "%g,%d,%d,7,k%d\n" % (scale * (i + 1), 100 + i * i, i,
                                          i % 3)
        return text_table(text)

    def prepare(self, data):
        return counters.preprocess(
            data, {"insts": "rate", "busy": "level", "same": "level"}, "time",
            ("per-time", ["insts"], None), "kernel")

    def test_rates_halve_when_the_time_doubles(self):  # S5
        a, b = self.prepare(self.rows(1)), self.prepare(self.rows(2))
        self.assertTrue(np.array_equal(a.x[:, 0], 2 * b.x[:, 0]))
        self.assertTrue(np.array_equal(a.x[:, 1], b.x[:, 1]))
        self.assertTrue(np.array_equal(a.y, 2 * b.y))

    def test_the_papers_own_counters_are_classed_as_in_its_table(self):
        # Table I, ALUPacking constant; instructions are per work-item
        head = ("kernel,Time,LDSSize,GPR,ScratchRegs,FCStacks,Wavefronts,"
                "ALUInsts,FetchInsts,WriteInsts,LDSFetchInsts,LDSWriteInsts,"
                "ALUBusy,ALUFetchRatio,ALUPacking,FetchSize,CacheHit,"
                "FetchUnitBusy,FetchUnitStalled,WriteUnitStalled,CompletePath,"
                "FastPath,PathUtilization,ALUStalled,LDSBankConflict").split(",")
        rows = []
        for i in range(1, 13):
            rows.append(["k%d" % i, str(2 * i)] +
                        [str((j + 1) * i % 29) for j in range(len(head) - 2)])
            rows[-1][head.index("ALUPacking")] = "60"
        data = text_table("\n".join(",".join(r) for r in [head] + rows))
        preset = counters.PRESETS["zhang"]
        kinds = counters.classes(data, preset, [], [])
        self.assertEqual(len(kinds), 23)
        self.assertEqual(sorted(c for c in kinds if kinds[c] == "rate"), sorted(
            "Wavefronts ALUInsts FetchInsts WriteInsts LDSFetchInsts "
            "LDSWriteInsts FetchSize CompletePath FastPath".split()))
        parts = [c for c in head if re.match(preset["instructions"], c)]
        self.assertEqual(len(parts), 5)
        o = counters.preprocess(data, kinds, "Time",
                                ("per-time", parts, preset["work_items"]),
                                "kernel")
        self.assertEqual(o.left_out, [("ALUPacking", "hardly changes")])
        row = dict(zip(head, rows[4]))
        self.assertEqual(o.y[4], sum(int(row[c]) for c in parts) / 10 * 64 *
                         int(row["Wavefronts"]))

    def test_what_does_not_change_is_left_out_and_named(self):  # S2
        o = self.prepare(self.rows(1))
        self.assertEqual(o.names, ["insts /time", "busy"])
        self.assertEqual(o.left_out, [("same", "hardly changes")])

    def test_the_same_seed_grows_the_same_forest(self):  # S6
        o = observed()
        a, b = FOREST.fit(o.x, o.y), FOREST.fit(o.x, o.y)
        for s, t in zip(a.estimators_, b.estimators_):
            self.assertTrue(np.array_equal(s.tree_.threshold, t.tree_.threshold))

    def test_r_square_by_hand(self):
        y = np.array([1.0, 2.0, 3.0])
        self.assertAlmostEqual(counters.r_square(y, y), 1)
        self.assertAlmostEqual(counters.r_square(y, np.array([2.0] * 3)), 0)
        self.assertAlmostEqual(counters.median_error(y, y * 1.25), 25)

    def refuses(self, text, because):
        with self.assertRaises(table.Fault) as caught:
            self.prepare(text_table(text))
        self.assertIn(because, str(caught.exception))

    def test_bad_tables_are_refused_with_their_place(self):
        good = ["%d,%d,%d,%d,k" % (i + 1, i, i, i) for i in range(12)]
        head = "time,insts,busy,same,kernel\n"
        self.refuses("", "column names")
        self.refuses("time,time\n", "twice")
        self.refuses("time,insts,busy,kernel\n" +
                     "\n".join("1,2,3,k" for _ in good), "no column 'same'")
        self.refuses(head + "\n".join(good[:4]), "at least 10 rows, found 4")
        self.refuses(head + "\n".join(good + ["1,2,3,4"]),
                     "t.csv:14: expected 5 cells, found 4")
        self.refuses(head + "\n".join(good + ["1,2,x3,4,k"]),
                     "t.csv:14: column 'busy': expected a number, found 'x3'")
        self.refuses(head + "\n".join(good + ["0,2,3,4,k"]), "above 0")
        self.refuses(head + "\n".join(["1,5,2,3,k"] * 12), "nothing to explain")


if __name__ == "__main__":
    with contextlib.redirect_stdout(io.StringIO()):
        result = unittest.main(exit=False, verbosity=0).result
    bad = len(result.failures) + len(result.errors)
    print("%d%%: Checks: %d, Failures: %d, Errors: %d" % (
        100 * (result.testsRun - bad) // max(result.testsRun, 1),
        result.testsRun, len(result.failures), len(result.errors)))
    sys.exit(bad > 0)
