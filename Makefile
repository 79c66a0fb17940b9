# make            build/release/teg and libteg.a
# make demo       the same, then runs a bundled kernel and replays its trace
# make check      rooms, then every test
# make sanitize   every test under the address and undefined-behaviour sanitizers
# make sampling   how far sampled cycles are from the full simulation's, minutes
# make clusters   how far represented launches are from simulated ones, minutes
# make bench      prints simulated instructions per second and peak memory
# make accuracy   compares with published measurements (docs/accuracy.md);
# make accuracy-modern  the same for chips since Fermi, with Python, minutes
# make fixtures-check  compiles the fixtures anew and compares, if nvcc is there
# make measure-build  compiles the measuring kit for all GPUs, if nvcc is there
# make model-table  compares the analytical models, into docs/models.md
# make example-scaling  section 3.5 of the thesis: CSV files and pictures
# make mpi      build/release/teg-mpi, whose sweeps run over MPI ranks (Open MPI)
# make fuzz     libFuzzer programs of the readers in build/fuzz (clang)
# make man        build/release/man: teg(1), teg-terms(7)
# make install    PREFIX=/usr/local DESTDIR=
# make deps       installs the Debian packages the build needs
# make format     clang-format the tree
#
# Variables: VARIANT=release|asan, CC, WERROR=-Werror.

VARIANT ?= release
BUILD   := build/$(VARIANT)
PREFIX  ?= /usr/local

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
            -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wundef \
            -Wvla -Wformat=2 -Wdouble-promotion
CFLAGS.release := -O3 -g
CFLAGS.asan    := -O1 -g -fno-omit-frame-pointer -fno-sanitize-recover=all \
                  -fsanitize=address,undefined
CPPFLAGS += -I. -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -MMD -MP
# Position independent, nothing visible: the same objects go into teg and into
# the CUDA runtime stand-in, which exports its entry points only.
CFLAGS   += -std=c17 $(WARNINGS) $(CFLAGS.$(VARIANT)) $(WERROR) \
            -fPIC -fvisibility=hidden
PACKAGES := libconfig jansson zlib liblzma libzstd libelf
# libiberty, of binutils, has no .pc file and is a static library.
LIBS      = $(shell pkg-config --libs $(PACKAGES)) -liberty -lm
TEST_LIBS = $(shell pkg-config --libs check) $(LIBS)

ROOMS    := isa config traces sim
LIB_SRC  := $(shell find $(ROOMS) -name '*.c' | sort)
TOOL_SRC := $(shell find tools/teg -name '*.c' | sort)
CUDART_SRC := $(shell find tools/cudart -name '*.c' | sort)
TEST_SRC := $(shell find tests -name 'test_*.c' | sort)
HELP_SRC := $(shell find tests -name 'help_*.c' | sort)
ACCURACY_SRC := $(shell find tools/accuracy -name '*.c' | sort)
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)
DEPS     := build/deps.stamp

CUDART   := $(BUILD)/cudart/libcudart.so.13 $(BUILD)/cudart/libcuda.so.1

all: $(BUILD)/teg $(BUILD)/libteg.a $(CUDART)

$(DEPS): tools/install_deps.sh
	@tools/install_deps.sh
	@mkdir -p $(@D) && touch $@

deps: $(DEPS)

$(BUILD)/teg: $(TOOL_SRC:%.c=$(BUILD)/%.o) $(BUILD)/libteg.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# The runtime that programs under `teg exec` are linked with (tools/cudart).
$(BUILD)/cudart/libcudart.so.13: $(CUDART_SRC:%.c=$(BUILD)/%.o) \
    $(BUILD)/libteg.a tools/cudart/cudart.map
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
	    -Wl,--version-script=tools/cudart/cudart.map \
	    $(filter %.o %.a,$^) $(LIBS) -o $@

# The driver's name; its entry points are in the runtime.
$(BUILD)/cudart/libcuda.so.1: $(BUILD)/cudart/libcudart.so.13
	$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) -Wl,--no-as-needed \
	    $< -o $@

# teg with another pool (tools/mpi).
MPI_OBJ := $(filter-out %/pool.o,$(TOOL_SRC:%.c=$(BUILD)/%.o)) \
           $(BUILD)/tools/mpi/pool_mpi.o $(BUILD)/tools/mpi/pool_local.o

mpi: $(BUILD)/teg-mpi

$(BUILD)/teg-mpi: $(MPI_OBJ) $(BUILD)/libteg.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) $$(pkg-config --libs ompi-c) -o $@

$(BUILD)/tools/mpi/pool_mpi.o: tools/mpi/pool_mpi.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) \
	    $$(pkg-config --cflags ompi-c | sed 's/-I/-isystem /g') -c $< -o $@

$(BUILD)/tools/mpi/pool_local.o: tools/teg/pool/pool.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -DTEG_MPI -c $< -o $@

# The emulator's functions once more for machines with AVX2 and FMA; which are
# used is found out when a kernel is prepared.
ifneq ($(filter x86_64%,$(shell $(CC) -dumpmachine)),)
$(BUILD)/traces/emulate/core/operand.o: CPPFLAGS += -DTEG_EMULATE_VECTOR
VECTOR_OBJ := $(patsubst %.c,$(BUILD)/%_vector.o,$(wildcard traces/emulate/ops/*.c))
endif

$(BUILD)/traces/emulate/ops/%_vector.o: traces/emulate/ops/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) -DEMU_VECTOR $(CFLAGS) -mavx2 -mfma -ffp-contract=off \
	    -c $< -o $@

$(BUILD)/libteg.a: $(LIB_SRC:%.c=$(BUILD)/%.o) $(VECTOR_OBJ)
	@rm -f $@
	$(AR) rcs $@ $^

$(TESTS): $(BUILD)/%: $(BUILD)/%.o $(HELP_SRC:%.c=$(BUILD)/%.o) $(BUILD)/libteg.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(TEST_LIBS) -o $@

# A CUDA program without nvcc, for tests/cli/exec.sh.
PROGRAM := $(BUILD)/tests/cli/program

$(PROGRAM): $(PROGRAM).o $(CUDART)
	$(CC) $(CFLAGS) $(LDFLAGS) $< $(BUILD)/cudart/libcudart.so.13 -o $@

$(PROGRAM).o: tests/fixtures/exec.fatbin

# Iterative programs for tools/clusters.sh, likewise.
ITERATE := $(BUILD)/tools/sampling/iterate

$(ITERATE): $(ITERATE).o $(CUDART)
	$(CC) $(CFLAGS) $(LDFLAGS) $< $(BUILD)/cudart/libcudart.so.13 -o $@

$(ITERATE).o: tests/fixtures/iterate.fatbin

# The page's script and style become rows of C strings.
$(BUILD)/page.%.inc: tools/teg/report/page/page.%
	@mkdir -p $(@D)
	sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n",/' $< > $@

$(BUILD)/tools/teg/report/page/page.o: CPPFLAGS += -I$(BUILD)
$(BUILD)/tools/teg/report/page/page.o: $(BUILD)/page.js.inc $(BUILD)/page.css.inc

$(BUILD)/%.o: %.c | $(DEPS)
	@mkdir -p $(@D)
	$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# Published measurements against simulations: docs/accuracy.md.
$(BUILD)/accuracy: $(ACCURACY_SRC:%.c=$(BUILD)/%.o) $(BUILD)/libteg.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

accuracy: $(BUILD)/accuracy
	@mkdir -p build/accuracy
	@for csv in tools/accuracy/*.csv; do \
	    $(BUILD)/accuracy --json=build/accuracy/$$(basename $$csv .csv).json \
	        $$csv || exit 1; \
	done

# Times the fixture kernels on a machine with a GPU: docs/measuring.md.
$(BUILD)/kernels: $(BUILD)/tools/measure/kernels.o \
                  $(BUILD)/traces/emulate/core/argument.o $(BUILD)/isa/base/status.o
	$(CC) $(CFLAGS) $(LDFLAGS) $^ -ldl -o $@

# Chips since Fermi: micro-benchmarks, and ../shared/measured where it is.
# Minutes, and the one thing here that wants Python.
accuracy-modern: all
	@command -v python3 >/dev/null || { echo "skipped: no python3"; exit 0; }; \
	TEG=$(BUILD)/teg tools/accuracy/modern/micro.py && \
	TEG=$(BUILD)/teg tools/accuracy/modern/measured.py

model-table: all
	@tools/model_table.sh --write $(BUILD)/teg

example-scaling: all
	@tools/examples/scaling.sh $(BUILD)/teg

demo: all
	@tools/demo.sh $(BUILD)/teg

check: all $(TESTS) $(BUILD)/accuracy $(BUILD)/kernels $(PROGRAM)
	@tools/check_layers.sh
	@BUILD=$(BUILD) tests/run.sh $(TESTS)

sanitize:
	$(MAKE) VARIANT=asan check

bench: all $(BUILD)/bench-forest
	@tools/bench.sh $(BUILD)/teg
	@echo && echo "predictions (docs/learning.md)" && $(BUILD)/bench-forest

$(BUILD)/bench-forest: $(BUILD)/tools/bench/forest.o $(BUILD)/libteg.a
	$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# Each tests/fuzz/fuzz_NAME.c becomes build/fuzz/fuzz_NAME; `make fuzz` runs
# each for FUZZ_SECONDS, `make fuzz-build` only builds them.
FUZZ := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 60
FUZZ_FLAGS := -std=c17 -O1 -g -fsanitize=address,undefined \
              -fno-sanitize-recover=all

fuzz: fuzz-build
	@tools/fuzz.sh $(FUZZ_SECONDS) $(FUZZ)

fuzz-build: $(FUZZ)

build/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	clang $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c $< -o $@

build/fuzz/libteg.a: $(LIB_SRC:%.c=build/fuzz/obj/%.o)
	@rm -f $@
	$(AR) rcs $@ $^

build/fuzz/%: tests/fuzz/%.c build/fuzz/libteg.a
	clang $(filter-out -MMD -MP,$(CPPFLAGS)) $(FUZZ_FLAGS) -fsanitize=fuzzer \
	    $< build/fuzz/libteg.a $(LIBS) -o $@

# Committed cubins against what nvcc makes of their sources; minutes.
fixtures-check:
	@command -v nvcc >/dev/null || { echo "skipped: no nvcc"; exit 0; }; \
	tools/make_fixtures.sh --check

.PHONY: sampling
sampling: all
	@tools/sampling.sh $(BUILD)/teg

.PHONY: clusters
clusters: all $(ITERATE)
	@tools/clusters.sh $(BUILD)/teg $(ITERATE)

measure-build:
	@tools/measure/build.sh $(BUILD)/measure

man: all
	@tools/man.sh $(BUILD)/teg $(BUILD)/man

install: all man
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib \
	    $(DESTDIR)$(PREFIX)/share/teg/config/family \
	    $(DESTDIR)$(PREFIX)/share/teg/examples \
	    $(DESTDIR)$(PREFIX)/share/man/man1 $(DESTDIR)$(PREFIX)/share/man/man7
	install -m 755 $(BUILD)/teg $(DESTDIR)$(PREFIX)/bin/teg
	install -d $(DESTDIR)$(PREFIX)/lib/teg
	install -m 755 $(CUDART) $(DESTDIR)$(PREFIX)/lib/teg/
	install -m 644 $(BUILD)/libteg.a $(DESTDIR)$(PREFIX)/lib/libteg.a
	install -m 644 config/*.cfg $(wildcard config/*.forest) \
	    $(DESTDIR)$(PREFIX)/share/teg/config/
	install -m 644 config/family/*.cfg \
	    $(DESTDIR)$(PREFIX)/share/teg/config/family/
	install -m 644 docs/examples/*.flow $(DESTDIR)$(PREFIX)/share/teg/examples/
	install -m 644 $(BUILD)/man/teg.1 $(DESTDIR)$(PREFIX)/share/man/man1/
	install -m 644 $(BUILD)/man/teg-terms.7 $(DESTDIR)$(PREFIX)/share/man/man7/
	for h in $$(find isa config traces sim -name '*.h' -o -name '*.def'); do \
	    install -D -m 644 $$h $(DESTDIR)$(PREFIX)/include/teg/$$h; done

format:
	clang-format -i $(shell find $(ROOMS) tools tests -name '*.[ch]')

clean:
	rm -rf build

-include $(shell find $(BUILD) build/fuzz -name '*.d' 2>/dev/null)
.PHONY: accuracy model-table man fixtures-check example-scaling all deps demo check sanitize bench fuzz fuzz-build measure-build install format clean
.SECONDARY:
