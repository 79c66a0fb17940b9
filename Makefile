# make            build/release/teg, and the library in build/release/lib
# make tests      the same and what the tests need; `make check` runs them
# make demo       the same, then runs a bundled kernel and replays its trace
# make check      rooms, then every test
# make sanitize   every test under the address and undefined-behaviour sanitizers
# make clang      the program and the tests by clang, in build/clang
# make docs-check what the texts say that commands print is what they print; make
#                check has what is quick, with any numbers
# make mutate     breaks the program in small ways and says which tests notice
# make bench      what a run takes beside an earlier commit (BENCH_AGAINST), then
#                 simulated instructions per second and peak memory
# make pgo        build/pgo/teg, faster by what gcc learns from bundled kernels
# make oom-check  every allocation of every command fails once
# make fuzz       libFuzzer programs of the readers in build/fuzz (clang), from
#                 the objects that the sanitizers' build by clang has, too
# make mpi        build/release/teg-mpi, whose sweeps run over MPI ranks (Open MPI)
# make man        build/release/man: teg(1), teg-terms(7)
# make completion build/release/completion: for bash and zsh
# make install    PREFIX=/usr/local DESTDIR=
# make deb        build/release/deb/*.deb: teg-simulator, libteg0,
#                 libteg-dev
# make deps       installs the Debian packages the build needs
# make format     clang-format the tree
#
# Comparisons with measurements and papers, some of them minutes:
# tools/make/studies.mk.
#
# Variables: VARIANT=release|asan, CC, WERROR=-Werror, V=1 prints the commands.

VARIANT ?= release
BUILD   := build/$(VARIANT)
PREFIX  ?= /usr/local
# What `make bench` compares with: before the work of docs/simulator.md, "How it is
# fast".
BENCH_AGAINST ?= 3f9fe33
# And the emulator: before it was checked instruction by instruction.
EMULATOR_AGAINST ?= 0a23001
VERSION := $(shell sed -n 's/.*TEG_VERSION  *"\(.*\)"/\1/p' include/teg/version.h)

# Before a command: says in a line what it makes; V=1 shows the command instead.
ifeq ($(V),1)
run =
Q   :=
else
run = @printf '  %-7s %s\n' $(1) $(patsubst build/%,%,$(@:$(BUILD)/%=%));
Q   := @
endif

WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion \
            -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wundef \
            -Wvla -Wformat=2 -Wdouble-promotion
CFLAGS.release := -O3 -g
# What libFuzzer goes by: which edges were taken.  That it also hears what is
# compared makes everything take twice as long; `make fuzz` alone asks for that.
COVERAGE.clang := -fsanitize-coverage=inline-8bit-counters,pc-table
COVERAGE := $(if $(findstring clang,$(CC)),$(COVERAGE.clang))
CFLAGS.asan    := -O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all \
                  -fsanitize=address,undefined \
                  $(COVERAGE)
CPPFLAGS += -I. -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -MMD -MP
# Position independent, nothing visible: the same objects go into teg and into
# the CUDA runtime stand-in, which exports its entry points only.
CFLAGS   += -std=c17 $(WARNINGS) $(CFLAGS.$(VARIANT)) $(WERROR) \
            -fPIC -fvisibility=hidden $(PROFILE)
PACKAGES := libconfig jansson zlib liblzma libzstd liblz4 libelf
# libiberty, of binutils, has no .pc file and is a static library.
LIBS      = $(shell pkg-config --libs $(PACKAGES)) -liberty -lm
# What teg alone is linked with: reports of profilers.
TEG_LIBS  = $(shell pkg-config --libs sqlite3) $(LIBS)
TEST_LIBS = $(shell pkg-config --libs check) $(LIBS)
# Each test holds most of the library: without this the tests take 4 GB of disk,
# with it half.  `make tests TEST_LDFLAGS=` for a debugger.
TEST_LDFLAGS.release := -Wl,--strip-debug
TEST_LDFLAGS.asan    := -no-pie
TEST_LDFLAGS         ?= $(TEST_LDFLAGS.$(VARIANT))

ROOMS    := isa config traces sim libteg
LIB_SRC  := $(shell find $(ROOMS) -name '*.c' | sort)
TOOL_SRC := $(shell find tools/teg -name '*.c' | sort)
CUDART_SRC := $(shell find tools/cudart -name '*.c' \
    ! -path 'tools/cudart/loader/*' ! -path 'tools/cudart/twelve/*' | sort)
# Vendor's libraries that teg has others for (tools/cublas and so on).
VENDOR_LIBS := cublas cudnn cufft curand cusolver cusparse
TEST_SRC := $(shell find tests -name 'test_*.c' | sort)
HELP_SRC := $(shell find tests -name 'help_*.c' | sort)
TESTS    := $(TEST_SRC:%.c=$(BUILD)/%)
DEPS     := build/deps.stamp

CUDART   := $(BUILD)/cudart/libcudart.so.13 $(BUILD)/cudart/libcudart.so.12 \
    $(BUILD)/cudart/libcuda.so.1 \
    $(BUILD)/cudart/libteg_patch.so $(BUILD)/cudart/libteg_redirect.so \
    $(BUILD)/cudart/libteg_time.so \
    $(VENDOR_LIBS:%=$(BUILD)/cudart/libteg_%.so)

# The library for others, linked by `make` and installed: docs/library.md.
LIB_OBJ     = $(LIB_SRC:%.c=$(BUILD)/%.o) $(VECTOR_OBJ)
LIB_SONAME  := libteg.so.$(firstword $(subst ., ,$(VERSION)))
LIB_PUBLIC  := $(BUILD)/lib/libteg.so.$(VERSION) $(BUILD)/lib/libteg.a
LIBDIR      ?= $(PREFIX)/lib

all: $(BUILD)/teg $(BUILD)/libteg.a $(CUDART) $(LIB_PUBLIC)

$(DEPS): tools/install_deps.sh
	@tools/install_deps.sh
	@mkdir -p $(@D) && touch $@

deps: $(DEPS)

$(BUILD)/teg: $(TOOL_SRC:%.c=$(BUILD)/%.o) $(BUILD)/libteg.a
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(TEG_LIBS) -o $@

# The runtime that programs under `teg exec` are linked with (tools/cudart).
$(BUILD)/cudart/libcudart.so.13: $(CUDART_SRC:%.c=$(BUILD)/%.o) \
    $(BUILD)/libteg.a tools/cudart/cudart.map
	@mkdir -p $(@D)
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
	    -Wl,--version-script=tools/cudart/cudart.map \
	    $(filter %.o %.a,$^) $(LIBS) -o $@

# What CUDA 12 does as 13 does leads there: every name of 13 that 12 has no
# function of its own for.
FORWARD_12 := $(BUILD)/tools/cudart/twelve/forward_12

$(FORWARD_12).c: $(BUILD)/cudart/libcudart.so.13 \
    $(BUILD)/tools/cudart/twelve/twelve.o
	$(Q)nm --defined-only $(BUILD)/tools/cudart/twelve/twelve.o | \
	    sed -n 's/.* T //p' >$@.own
	$(Q)(echo '#include "tools/cudart/driver/forward.h"'; \
	nm -D --defined-only $< | sed -n 's/.* T \(\(__\)*cuda[^@]*\).*/\1/p' | \
	    grep -vxFf $@.own | \
	    sed 's/.*/__asm__(".symver next_&, &@libcudart.so.13"); FORWARD(&, next_&)/') >$@

$(FORWARD_12).o: $(FORWARD_12).c
	$(call run,CC)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

$(BUILD)/cudart/libcudart.so.12: $(FORWARD_12).o \
    $(BUILD)/tools/cudart/twelve/twelve.o tools/cudart/twelve/cudart.map
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
	    -Wl,--version-script=tools/cudart/twelve/cudart.map \
	    $(filter %.o,$^) $(BUILD)/cudart/libcudart.so.13 -o $@

# The driver's name; its entry points are in the runtime.
$(BUILD)/cudart/libcuda.so.1: $(BUILD)/cudart/libcudart.so.13
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
	    -Wl,--no-as-needed $< -o $@

# In place of a vendor's libraries, by the driver's calls; their kernels are in
# some of their objects.
define vendor_library
$(1)_OBJ := $$(patsubst %.c,$$(BUILD)/%.o, \
    $$(shell find tools/$(1) -name '*.c' | sort))
$$($(1)_OBJ): $$(wildcard tools/$(1)/kernels/*.fatbin)
$$(BUILD)/cudart/libteg_$(1).so: $$($(1)_OBJ) tools/$(1)/$(1).map
endef
$(foreach l,$(VENDOR_LIBS),$(eval $(call vendor_library,$(l))))
# As the vendor's, cuDNN and cuSOLVER call cuBLAS.
$(BUILD)/cudart/libteg_cudnn.so $(BUILD)/cudart/libteg_cusolver.so: $(BUILD)/cudart/libteg_cublas.so

$(VENDOR_LIBS:%=$(BUILD)/cudart/libteg_%.so): $(BUILD)/tools/vendor/launch.o \
    $(BUILD)/tools/vendor/map.o $(BUILD)/tools/cudart/say.o $(BUILD)/libteg.a $(BUILD)/cudart/libcudart.so.13
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(@F) \
	    -Wl,--version-script=$(filter %.map,$^) \
	    $(filter %.o %.a %.so,$^) $(BUILD)/cudart/libcudart.so.13 $(LIBS) -o $@

# What gets programs to it.  They are loaded into every process of a run, a
# shell too, so they depend on nothing, sanitizers neither.
$(BUILD)/cudart/libteg_%.so: tools/cudart/loader/%.c
	@mkdir -p $(@D)
	$(call run,LINK)$(CC) $(CPPFLAGS) $(filter-out -fsanitize%,$(CFLAGS)) \
	    $(LDFLAGS) -shared -Wl,-soname,$(@F) $< -o $@

# teg with another pool (tools/mpi).
MPI_OBJ := $(filter-out %/pool.o,$(TOOL_SRC:%.c=$(BUILD)/%.o)) \
           $(BUILD)/tools/mpi/pool_mpi.o $(BUILD)/tools/mpi/pool_local.o

mpi: $(BUILD)/teg-mpi

$(BUILD)/teg-mpi: $(MPI_OBJ) $(BUILD)/libteg.a
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(TEG_LIBS) \
	    $$(pkg-config --libs ompi-c) -o $@

$(BUILD)/tools/mpi/pool_mpi.o: tools/mpi/pool_mpi.c | $(DEPS)
	@mkdir -p $(@D)
	$(call run,CC)$(CC) $(CPPFLAGS) $(CFLAGS) \
	    $$(pkg-config --cflags ompi-c | sed 's/-I/-isystem /g') -c $< -o $@

$(BUILD)/tools/mpi/pool_local.o: tools/teg/pool/pool.c | $(DEPS)
	@mkdir -p $(@D)
	$(call run,CC)$(CC) $(CPPFLAGS) $(CFLAGS) -DTEG_MPI -c $< -o $@

# The emulator's functions once more for machines with AVX2, FMA and F16C; which are
# used is found out when a kernel is prepared.
MACHINE := $(or $(shell $(CC) -dumpmachine 2>/dev/null),$(shell uname -m))
ifneq ($(filter x86_64%,$(MACHINE)),)
$(BUILD)/traces/emulate/core/operand.o: CPPFLAGS += -DTEG_EMULATE_VECTOR
VECTOR_OBJ := $(patsubst %.c,$(BUILD)/%_vector.o,$(wildcard traces/emulate/ops/*.c))
endif

$(BUILD)/traces/emulate/ops/%_vector.o: traces/emulate/ops/%.c | $(DEPS)
	@mkdir -p $(@D)
	$(call run,CC)$(CC) $(CPPFLAGS) -DEMU_VECTOR $(CFLAGS) -mavx2 -mfma -mf16c \
	    -ffp-contract=off -c $< -o $@

$(BUILD)/libteg.a: $(LIB_SRC:%.c=$(BUILD)/%.o) $(VECTOR_OBJ)
	@rm -f $@
	$(call run,AR)$(AR) rcs $@ $^

# What others link shows the functions of include/teg and nothing else: one
# object whose hidden symbols are local, and a .so with a version script.
$(BUILD)/lib/libteg.so.$(VERSION): $(LIB_OBJ) libteg/libteg.map
	@mkdir -p $(@D)
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,$(LIB_SONAME) \
	    -Wl,-Bsymbolic-functions -Wl,--version-script=libteg/libteg.map \
	    $(filter %.o,$^) $(LIBS) -o $@

$(BUILD)/lib/libteg.a: $(LIB_OBJ)
	@mkdir -p $(@D) && rm -f $@
	$(call run,AR)$(LD) -r $^ -o $(@:.a=.o) && \
	objcopy --localize-hidden $(@:.a=.o) && \
	$(AR) rcs $@ $(@:.a=.o) && rm $(@:.a=.o)

$(TESTS): $(BUILD)/%: $(BUILD)/%.o $(HELP_SRC:%.c=$(BUILD)/%.o) $(BUILD)/libteg.a
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $(TEST_LDFLAGS) $^ $(TEST_LIBS) -o $@

# CUDA programs without nvcc, for tests/cli/exec*.sh and tensor_map.sh.
PROGRAM := $(BUILD)/tests/cli/program $(BUILD)/tests/cli/maps \
           $(BUILD)/tests/cli/streams $(BUILD)/tests/cli/children

$(PROGRAM): %: %.o $(CUDART)
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $(filter %.o,$^) \
	    $(BUILD)/cudart/libcudart.so.13 -o $@

$(BUILD)/tests/cli/program: $(BUILD)/tests/cli/program_code.o \
    $(BUILD)/tests/cli/program_driver.o $(BUILD)/tests/cli/program_beside.o \
    $(BUILD)/tests/cli/program_faults.o
$(BUILD)/tests/cli/program_code.o: tests/fixtures/exec.fatbin

# The page's script and style become rows of C strings.
$(BUILD)/page.%.inc: tools/teg/report/page/page.%
	@mkdir -p $(@D)
	$(call run,GEN)sed 's/[\\"]/\\&/g; s/^/"/; s/$$/\\n",/' $< > $@

$(BUILD)/tools/teg/report/page/frame.o: CPPFLAGS += -I$(BUILD)
$(BUILD)/tools/teg/report/page/frame.o: $(BUILD)/page.js.inc $(BUILD)/page.css.inc

$(BUILD)/%.o: %.c | $(DEPS)
	@mkdir -p $(@D)
	$(call run,CC)$(CC) $(CPPFLAGS) $(CFLAGS) -c $< -o $@

# On all cores, unless told how many; packages first, then the build's lines.
demo: $(DEPS)
	@$(MAKE) --no-print-directory \
	    $(if $(filter -j%,$(MAKEFLAGS)),,-j$$(nproc)) all
	@tools/demo.sh $(BUILD)/teg

# An allocator that refuses, for tests/cli/oom.sh.
FAILING := $(BUILD)/tests/oom/failing.so

$(FAILING): tests/oom/failing.c
	@mkdir -p $(@D)
	$(call run,LINK)$(CC) $(CFLAGS.release) \
	    -std=c17 $(WARNINGS) $(WERROR) -fPIC -shared $< -o $@

tests: all man completion $(TESTS) $(BUILD)/accuracy $(BUILD)/kernels $(PROGRAM) \
    $(FAILING)

check: tests
	@tools/check_layers.sh
	@BUILD=$(BUILD) tests/run.sh $(TESTS)

sanitize:
	@$(MAKE) --no-print-directory VARIANT=asan check

# Without what takes long there and whose code others run, too.
SLOW := cli/(accuracy|accuracy_modern|clusters|color|cublas|cublas_systems|cudnn|cudnn_rnn|cufft|curand|cusolver|cusparse|docs|fetch|figures|flaws|interrupt|ladders|learn|library|model|package|power|profile|programs|run|shared_traces|sweep|whatif|words)\.sh|test_(keys|schema)$$

sanitize-quick:
	@SKIP='$(SLOW)' $(MAKE) --no-print-directory VARIANT=asan check

# `make check` takes any number for any; UPDATE=--update writes what was printed.
DOCS := README.md $(sort $(shell grep -l '^<!-- docs-check' docs/*.md))

docs-check: all
	@BUILD=$(BUILD) tools/docs_check.py $(UPDATE) $(DOCS)

# Kernels with a known flaw each, and their twins: minutes.
flaws: all
	@BUILD=$(BUILD) tests/kernels/flaws/run.sh

# Each allocation of each command once: tens of minutes.
oom-check: all $(FAILING)
	@BUILD=$(BUILD) OOM_EVERY=1 sh tests/cli/oom.sh

clang:
	@$(MAKE) --no-print-directory BUILD=build/clang CC=clang tests

bench: all $(BUILD)/bench-forest
	@tools/bench/release.sh $(BUILD)/teg $(BENCH_AGAINST)
	@echo && tools/bench/emulator.sh $(BUILD)/teg $(EMULATOR_AGAINST)
	@echo && tools/bench.sh $(BUILD)/teg
	@echo && echo "predictions (docs/learning.md)" && $(BUILD)/bench-forest

# The compiler learns from runs of the bundled kernels (gcc).
PGO := build/pgo
pgo:
	@$(MAKE) --no-print-directory BUILD=$(PGO) \
	    PROFILE=-fprofile-generate $(PGO)/teg
	@tools/bench/train.sh $(PGO)/teg
	@find $(PGO) -name '*.o' -delete && $(RM) $(PGO)/teg $(PGO)/libteg.a
	@$(MAKE) --no-print-directory BUILD=$(PGO) \
	    PROFILE='-fprofile-use -fprofile-partial-training -Wno-missing-profile' \
	    $(PGO)/teg

$(BUILD)/bench-forest: $(BUILD)/tools/bench/forest.o $(BUILD)/libteg.a
	$(call run,LINK)$(CC) $(CFLAGS) $(LDFLAGS) $^ $(LIBS) -o $@

# What teg says of itself, for other readers.
MAN        := $(BUILD)/man/teg.1 $(BUILD)/man/teg-terms.7
COMPLETION := $(BUILD)/completion/teg $(BUILD)/completion/_teg

$(MAN) &: $(BUILD)/teg tools/man.sh
	$(call run,GEN)tools/man.sh $(BUILD)/teg $(BUILD)/man

$(COMPLETION) &: $(BUILD)/teg tools/completion.sh $(wildcard tools/completion/*)
	$(call run,GEN)tools/completion.sh $(BUILD)/teg $(BUILD)/completion

man: $(MAN)

completion: $(COMPLETION)

install-lib: $(LIB_PUBLIC)
	$(Q)install -d $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include/teg
	$(Q)install -m 644 $(LIB_PUBLIC) $(DESTDIR)$(LIBDIR)/
	$(Q)ln -sf libteg.so.$(VERSION) $(DESTDIR)$(LIBDIR)/$(LIB_SONAME)
	$(Q)ln -sf $(LIB_SONAME) $(DESTDIR)$(LIBDIR)/libteg.so
	$(Q)install -m 644 include/teg/*.h $(DESTDIR)$(PREFIX)/include/teg/
	$(Q)sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' \
	    -e 's|@VERSION@|$(VERSION)|' -e 's|@PACKAGES@|$(PACKAGES)|' \
	    libteg/teg.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/teg.pc

# The program finds its descriptions from where it lies: bin/../share/teg.
SHARE := $(DESTDIR)$(PREFIX)/share

install: all man completion install-lib
	@echo '  INSTALL $(DESTDIR)$(PREFIX)'
	$(Q)install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/lib/teg \
	    $(SHARE)/teg/config/family $(SHARE)/teg/examples \
	    $(SHARE)/man/man1 $(SHARE)/man/man7 $(SHARE)/doc/teg \
	    $(SHARE)/bash-completion/completions $(SHARE)/zsh/site-functions
	$(Q)install -m 755 $(BUILD)/teg $(DESTDIR)$(PREFIX)/bin/teg
	$(Q)install -m 644 $(CUDART) $(DESTDIR)$(PREFIX)/lib/teg/
	$(Q)install -m 644 config/*.cfg $(wildcard config/*.forest) \
	    $(SHARE)/teg/config/
	$(Q)install -m 644 config/family/*.cfg $(SHARE)/teg/config/family/
	$(Q)install -m 644 docs/examples/*.flow tests/kernels/sm70/*.sketch \
	    $(SHARE)/teg/examples/
	$(Q)install -m 644 README.md $(wildcard CHANGELOG.md) docs/*.md \
	    docs/schema.json $(SHARE)/doc/teg/
	$(Q)install -d $(SHARE)/doc/teg/pictures
	$(Q)install -m 644 docs/pictures/*.png $(SHARE)/doc/teg/pictures/
	$(Q)install -m 644 $(BUILD)/man/teg.1 $(SHARE)/man/man1/
	$(Q)install -m 644 $(BUILD)/man/teg-terms.7 $(SHARE)/man/man7/
	$(Q)install -m 644 $(BUILD)/completion/teg \
	    $(SHARE)/bash-completion/completions/
	$(Q)install -m 644 $(BUILD)/completion/_teg $(SHARE)/zsh/site-functions/

# Debian packages of what `make install` installs.
deb: all
	@tools/install_deps.sh deb
	@+tools/deb.sh $(BUILD) $(VERSION)

format:
	clang-format -i $(shell find include $(ROOMS) tools tests -name '*.[ch]')

clean:
	rm -rf build

include tools/make/studies.mk tools/make/fuzz.mk

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: all deps demo tests check docs-check flaws oom-check sanitize sanitize-quick clang bench pgo mpi man \
    completion install install-lib deb format clean
.SECONDARY:
