# libFuzzer programs of the readers: make fuzz, make fuzz-build.
#
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
	$(call run,CC)clang $(CPPFLAGS) $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link \
	    -c $< -o $@

build/fuzz/libteg.a: $(LIB_SRC:%.c=build/fuzz/obj/%.o)
	@rm -f $@
	$(call run,AR)$(AR) rcs $@ $^

build/fuzz/%: tests/fuzz/%.c build/fuzz/libteg.a
	$(call run,LINK)clang $(filter-out -MMD -MP,$(CPPFLAGS)) $(FUZZ_FLAGS) \
	    -fsanitize=fuzzer $< build/fuzz/libteg.a $(LIBS) -o $@

.PHONY: fuzz fuzz-build
