# SPDX-License-Identifier: GPL-3.0-or-later
# A thin front for Meson. `make demo` shows the tool at work and `make check` tests it; both install
# the packages they need. Plain `make` installs nothing.

BUILD ?= build
PREFIX ?= /usr/local
MESON ?= meson
NINJA ?= ninja

.DEFAULT_GOAL := all
.PHONY: all demo check check-all check-fresh asan valgrind torture cluster-torture fuzz lint bench install uninstall clean help \
	deps deps-test deps-bench deps-lint deps-fresh

all: $(BUILD)/build.ninja
	@$(NINJA) -C $(BUILD) tool

$(BUILD)/build.ninja:
	@command -v $(MESON) >/dev/null && command -v $(NINJA) >/dev/null || \
		{ echo "meson or ninja is missing: 'make deps' installs what the build needs" >&2; exit 1; }
	@$(MESON) setup $(BUILD)

deps:
	@tools/install-deps build
	@tools/install-deps optional || echo 'continuing without optional packages'
deps-test: deps
	@tools/install-deps test
deps-bench: deps
	@tools/install-deps bench
deps-lint:
	@tools/install-deps build lint
deps-fresh:
	@tools/install-deps fresh

# Sub-makes: make must look for the installed programs after it has installed them, also with -j.
demo: deps
	@$(MAKE) --no-print-directory all
	@tools/demo $(BUILD)/etalon

check: deps-test
	@BUILD=$(BUILD) tools/check

check-all: deps-test
	@BUILD=$(BUILD) tools/check all

check-fresh: deps-fresh
	@tools/check-fresh

asan: deps
	@BUILD=$(BUILD) tools/check all asan

valgrind: deps-test
	@BUILD=$(BUILD) tools/check all valgrind

# TIMES short forms of every campaign; 50 take hours.
TIMES ?= 50
torture: deps-test
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tools/torture $(TIMES)

# TIMES campaigns on a Slurm cluster, with kills; each takes about 40 s.
cluster-torture: TIMES = 20
cluster-torture: deps-test
	@$(MAKE) --no-print-directory all
	@BUILD=$(BUILD) tools/torture $(TIMES) cluster

# FUZZ_SECONDS for each of the targets; TARGETS selects some of them.
FUZZ_SECONDS ?= 600
fuzz: deps-test
	@BUILD=$(BUILD) tools/fuzz $(FUZZ_SECONDS) $(TARGETS)

lint: deps-lint
	@tools/lint

bench: deps-bench
	@$(MAKE) --no-print-directory all
	@$(NINJA) -C $(BUILD)
	@bench/run $(BUILD)/etalon

# libdir is plain lib: Debian's multiarch folder is for Debian's own packages.
install: all
	@$(MESON) configure $(BUILD) -Dprefix=$(PREFIX) -Dlibdir=lib
	@$(NINJA) -C $(BUILD) tool
	@DESTDIR=$(DESTDIR) $(MESON) install -C $(BUILD) --no-rebuild

# Removes the files of the last `make install`, DESTDIR included.
uninstall:
	@test -f $(BUILD)/meson-logs/install-log.txt || \
		{ echo "nothing was installed from $(BUILD)" >&2; exit 1; }
	@$(NINJA) -C $(BUILD) uninstall

clean:
	rm -rf $(BUILD) $(BUILD)-asan $(BUILD)-fuzz

help:
	@echo 'make            build $(BUILD)/etalon and $(BUILD)/libetalon.so'
	@echo 'make demo       install what is missing, build, measure two programs against each other'
	@echo 'make check      install what tests need, build, run each test: plain, with ASan and UBSan, or under valgrind'
	@echo 'make check-all  every test in every stage that can run it, benchmarks, simulations at full size: for an hour'
	@echo 'make check-fresh  the same on a bare Debian 12 and 13 in temporary folders (needs root)'
	@echo 'make asan       the tests with ASan and UBSan only;  make valgrind: the unit tests under it'
	@echo 'make torture    kills, failed allocations, full disks, hostile programs: TIMES=$(TIMES), for hours'
	@echo 'make cluster-torture  experiments on a Slurm cluster while all its parts are killed: TIMES=20, root'
	@echo 'make fuzz       feed mutants to every parser: FUZZ_SECONDS=$(FUZZ_SECONDS) each, TARGETS=all, for hours'
	@echo 'make lint       format, cppcheck, shellcheck, layers, banned calls, sizes, files, prose'
	@echo 'make bench      measure the tool itself beside its peers'
	@echo 'make install    PREFIX=$(PREFIX) DESTDIR=$(DESTDIR);  make uninstall removes it'
	@echo 'make clean      remove $(BUILD), $(BUILD)-asan and $(BUILD)-fuzz'
