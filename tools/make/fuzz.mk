# libFuzzer programs (clang): make fuzz, make fuzz-build, make fuzz-replay.
#
# Each tests/fuzz/fuzz_NAME.c becomes build/fuzz/fuzz_NAME; `make fuzz` runs
# each for FUZZ_SECONDS, `make fuzz-build` only builds them, `make fuzz-replay`
# runs them once over what tests/fuzz/corpus has for them. ONLY='trace|tegt'
# chooses some.
FUZZ := $(patsubst tests/fuzz/%.c,build/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
FUZZ_SECONDS ?= 60
FUZZ_FLAGS := -std=c17 -O1 -g -fsanitize=address,undefined \
              -fno-sanitize-recover=all \
              -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
# What they take of the tests and of the program, besides the library.
FUZZ_HELP := tests/fuzz/common.c \
             $(filter-out tests/help_suite.c,$(HELP_SRC)) \
             $(filter-out tools/teg/cli/main.c,$(TOOL_SRC))

fuzz: fuzz-build
	@tools/fuzz.sh $(FUZZ_SECONDS) $(FUZZ)

fuzz-replay: fuzz-build
	@tools/fuzz.sh replay $(FUZZ)

fuzz-build: $(FUZZ)

build/fuzz/obj/%.o: %.c
	@mkdir -p $(@D)
	$(call run,CC)clang $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link \
	    -c $< -o $@

build/fuzz/obj/tools/teg/report/page/frame.o: CPPFLAGS += -I$(BUILD)
build/fuzz/obj/tools/teg/report/page/frame.o: $(BUILD)/page.js.inc \
    $(BUILD)/page.css.inc

build/fuzz/libteg.a: $(LIB_SRC:%.c=build/fuzz/obj/%.o)
	@rm -f $@
	$(call run,AR)$(AR) rcs $@ $^

build/fuzz/libhelp.a: $(FUZZ_HELP:%.c=build/fuzz/obj/%.o)
	@rm -f $@
	$(call run,AR)$(AR) rcs $@ $^

build/fuzz/%: tests/fuzz/%.c build/fuzz/libhelp.a build/fuzz/libteg.a
	$(call run,LINK)clang $(filter-out -MMD -MP,$(CPPFLAGS)) $(FUZZ_FLAGS) \
	    -fsanitize=fuzzer $^ $(LIBS) -o $@

.PHONY: fuzz fuzz-build fuzz-replay
