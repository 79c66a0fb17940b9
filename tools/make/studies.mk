# Comparisons with what hardware and papers say, and what goes with them.
#
# make accuracy         published measurements (docs/accuracy.md)
# make accuracy-modern  the same for chips since Fermi, with Python, minutes
# make accuracy-programs  whole programs compiled here beside measured times
#                       (docs/accuracy.md), with Python and nvcc, hours;
#                       SOURCES=DIR of their checkouts, QUICK=1 ten minutes,
#                       BEFORE=COMMIT the simulator of then as well, WHOLE=
#                       further options (tools/accuracy/whole/whole.py --help)
# make accuracy-printed what CUDA samples print of their own speed under `teg
#                       exec --time` and on hardware (docs/accuracy.md), with
#                       Python and nvcc, an hour; SOURCES=DIR of their checkout
# make sampling         how far sampled cycles are from the full simulation's,
#                       minutes
# make clusters         how far represented launches are from simulated ones,
#                       minutes
# make model-table      compares the analytical models, into docs/models.md
# make figures          the figures of the texts, beside what is published
#                       (docs/seeds.md), with Python, a minute or two;
#                       ONLY=hong/ a part
# make ladders          kernels made fast in published steps, beside what was
#                       measured (docs/ladders.md), with Python, minutes;
#                       ONLY=reduction one of them, ON=h100 another chip,
#                       SOURCES=DIR copies of what others wrote
# make example-scaling  section 3.5 of the thesis: CSV files and pictures
# make fixtures-check   compiles the fixtures anew and compares, if nvcc is there
# make emulator-check   every instruction of the emulator on many more operands
#                       than `make check`, and the table of docs/emulator.md,
#                       minutes
# make measure-build    compiles the measuring kit for all GPUs, if nvcc is there
# make check-clients    Python programs from PyPI under `teg exec`
#                       (docs/exec.md), 10 GB and the network; ONLY='numba|torch'
# make mutate           whether tests notice small changes of meaning, with
#                       Python, some ten minutes on two cores; ONLY='NAME'

ACCURACY_SRC := $(shell find tools/accuracy -name '*.c' | sort)

# Published measurements against simulations: docs/accuracy.md.
$(BUILD)/accuracy: $(ACCURACY_SRC:%.c=$(BUILD)/%.o) $(BUILD)/libteg.a
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

accuracy: $(BUILD)/accuracy
	@mkdir -p build/accuracy
	@for csv in tools/accuracy/*.csv; do \
	    $(BUILD)/accuracy --json=build/accuracy/$$(basename $$csv .csv).json \
	        $$csv || exit 1; \
	done

# Times the fixture kernels on a machine with a GPU: docs/measuring.md.
$(BUILD)/kernels: $(BUILD)/tools/measure/kernels.o \
                  $(BUILD)/traces/emulate/core/argument.o \
                  $(BUILD)/isa/base/status.o $(BUILD)/isa/base/printable.o
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ -ldl -o $@

# Chips since Fermi: micro-benchmarks, and ../shared/measured where it is.
# Minutes, and the one thing here that wants Python.
accuracy-modern: all
	@command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }; \
	TEG=$(BUILD)/teg tools/accuracy/modern/micro.py && \
	TEG=$(BUILD)/teg tools/accuracy/modern/measured.py

accuracy-printed: all
	@command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }; \
	TEG=$(BUILD)/teg tools/accuracy/printed/printed.py \
	    $(or $(SOURCES),build/sources)

accuracy-programs: all
	@command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }; \
	TEG=$(BUILD)/teg tools/accuracy/whole/whole.py \
	    $(if $(SOURCES),--sources '$(SOURCES)') $(if $(QUICK),--quick) \
	    $(if $(BEFORE),--before '$(BEFORE)') $(WHOLE)

check-clients: all
	@BUILD=$(BUILD) tests/clients/run.sh

model-table: all
	@tools/model_table.sh --write $(BUILD)/teg

figures: all $(BUILD)/accuracy
	@command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }; \
	TEG=$(BUILD)/teg tools/figures/figures.py $(if $(ONLY),--only '$(ONLY)')

ladders: all
	@command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }; \
	TEG=$(BUILD)/teg tools/ladders/ladders.py $(if $(ONLY),--only '$(ONLY)') \
	    $(if $(ON)$(GPU),--on '$(or $(ON),$(GPU))') \
	    $(if $(SOURCES),--sources '$(SOURCES)')

example-scaling: all
	@tools/examples/scaling.sh $(BUILD)/teg

# Committed cubins against what nvcc makes of their sources; minutes.
fixtures-check:
	@command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 0; }; \
	tools/make_fixtures.sh --check

REFERENCES := $(sort $(patsubst %.c,$(BUILD)/%, \
    $(wildcard tests/traces/emulate/test_reference*.c) \
    tests/traces/emulate/test_tensor_copies.c))

emulator-check: $(REFERENCES)
	@status=0; for t in $^; do \
	    TEG_REFERENCE_TRIALS=$(or $(TRIALS),1000) $$t || status=$$?; \
	done >$(BUILD)/emulator-check.out; \
	grep -vE '^sm_[0-9]+ [^ ]+ (runs|refused|[0-9]+ values)' \
	    $(BUILD)/emulator-check.out; \
	[ $$status = 0 ] && tools/emulator_table.sh <$(BUILD)/emulator-check.out

sampling: all
	@tools/sampling.sh $(BUILD)/teg

# Iterative CUDA programs without nvcc, for tools/clusters.sh.
ITERATE := $(BUILD)/tools/sampling/iterate

$(ITERATE): $(ITERATE).o $(CUDART)
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $< $(BUILD)/cudart/libcudart.so.13 -o $@

$(ITERATE).o: tests/fixtures/iterate.fatbin

clusters: all $(ITERATE)
	@tools/clusters.sh $(BUILD)/teg $(ITERATE)

measure-build:
	@tools/measure/build.sh $(BUILD)/measure

# Breaks copies of the tree, below build/mutate: tools/mutate/mutations.txt.
mutate:
	@command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }; \
	tools/mutate/mutate.py $(if $(ONLY),--only '$(ONLY)')

.PHONY: accuracy accuracy-modern accuracy-printed accuracy-programs sampling clusters model-table \
    check-clients emulator-check example-scaling figures fixtures-check ladders \
    measure-build mutate
