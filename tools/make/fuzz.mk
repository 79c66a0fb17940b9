# libFuzzer programs (clang): make fuzz, make fuzz-build, make fuzz-replay.
#
# Each tests/fuzz/fuzz_NAME.c becomes $(FUZZ_BUILD)/fuzz_NAME; `make fuzz` runs
# each for FUZZ_SECONDS, `make fuzz-build` only builds them, `make fuzz-replay`
# runs them once over what tests/fuzz/corpus has for them. ONLY='trace|tegt'
# chooses some, SEED=1 makes each choose the same as the last time.  They are
# linked from the objects of clang's sanitizer build: FUZZ_BUILD=build/asan takes
# those that `make sanitize CC=clang` left, which count edges but do not say what
# is compared: tests would take twice as long.
FUZZ_BUILD ?= build/fuzz
FUZZ_SECONDS ?= 60
FUZZ_MAKE = $(MAKE) --no-print-directory VARIANT=asan CC=clang \
            BUILD=$(FUZZ_BUILD) \
            $(if $(filter build/asan,$(FUZZ_BUILD)),,COVERAGE=-fsanitize=fuzzer-no-link)
FUZZ := $(patsubst tests/fuzz/%.c,$(BUILD)/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_RUN := $(FUZZ:$(BUILD)/%=$(FUZZ_BUILD)/%)
# What they take of the tests and of the program, besides the library.
FUZZ_HELP := tests/fuzz/common.c \
             $(filter-out tests/help_suite.c,$(HELP_SRC)) \
             $(filter-out tools/teg/cli/main.c,$(TOOL_SRC))

fuzz: fuzz-build
	@tools/fuzz.sh $(FUZZ_SECONDS) $(FUZZ_RUN)

fuzz-replay: fuzz-build
	@tools/fuzz.sh replay $(FUZZ_RUN)

fuzz-build:
	@+$(FUZZ_MAKE) fuzz-programs

fuzz-programs: $(FUZZ)

# Checksums that nobody finds by changing bytes are not looked at: linked
# before the library, which has them.
FUZZ_BLIND := $(BUILD)/tests/fuzz/blind_chunk.o

$(FUZZ_BLIND): traces/tegt/chunk.c | $(DEPS)
	@mkdir -p $(@D)
	$(call run,CC)$(CC) $(CPPFLAGS) $(CFLAGS) \
	    -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION -c $< -o $@

$(BUILD)/libhelp.a: $(FUZZ_HELP:%.c=$(BUILD)/%.o)
	@rm -f $@
	$(call run,AR)$(AR) rcs $@ $^

$(FUZZ): $(BUILD)/%: $(BUILD)/tests/fuzz/%.o $(FUZZ_BLIND) $(BUILD)/libhelp.a \
    $(BUILD)/libteg.a
	$(call run,LINK)$(CC) $(filter-out %=fuzzer-no-link,$(CFLAGS)) \
	    -fsanitize=fuzzer $^ $(TEG_LIBS) -o $@

.PHONY: fuzz fuzz-build fuzz-programs fuzz-replay
