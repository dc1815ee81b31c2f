# make demo      shows in two minutes what Heddle does: it times a reduction and a scan on every target of this machine
# make test      builds Heddle and runs every test
# make           builds Heddle and everything that uses it
# make install   builds the library and the command, and installs them under PREFIX
# make wheel     builds wheels of the Python package into build/wheels, and tries each of them; PYTHONS=… names the interpreters,
#                OPTIONS="-D HEDDLE_CUDA=OFF" leaves the GPU target out
# make deps      installs the packages of the system that are missing
#
# `make demo` and `make test` install missing packages first, as root or by a sudo that asks for no password. Nothing else installs any.
#
# GPU=1          compiles kernels for GPUs, also if this machine has none; GPU=0 compiles none
# PRESET=…       another preset of CMakePresets.json; JOBS=… how many compilers and tests run at once

PRESET ?= $(if $(CI),ci,default)
JOBS ?= $(shell nproc)
# A variable of the environment is not meant for this.
ifeq ($(origin GPU),command line)
cuda := -DHEDDLE_CUDA=$(if $(filter-out 0,$(GPU)),ON,OFF)
endif
BUILD := build/$(PRESET)

sources = $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' '*.cu' '*.cuh' '*.h')

.PHONY: deps build configure demo test install wheel format check-format tidy clean

build: configure
	cmake --build $(BUILD) --parallel $(JOBS)

for_ci := $(if $(CI)$(filter ci,$(PRESET)),--ci)

# A compiler, CMake or Ninja that is missing stops CMake before it can look for the rest.
configure:
	@cmake --preset $(PRESET) $(cuda) || { scripts/install-dependencies --check $(for_ci); exit 1; }

deps:
	@scripts/install-dependencies --ask $(for_ci)

# The folder of a build for the demo is its own: it holds what the demo needs, and needs few packages.
demo:
	@scripts/install-dependencies --demo
	@cmake --preset demo $(cuda)
	@cmake --build build/demo --parallel $(JOBS) --target demo
	@build/demo/demo/demo

test:
	@scripts/install-dependencies $(for_ci)
	@$(MAKE) --no-print-directory build
	ctest --test-dir $(BUILD) --output-on-failure --parallel $(JOBS)

install: configure
	cmake --build $(BUILD) --parallel $(JOBS) --target heddle heddle_command
	cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

wheel:
	CMAKE_BUILD_PARALLEL_LEVEL=$(JOBS) scripts/make-wheels $(OPTIONS) $(PYTHONS)

tools := build/tools/bin/clang-format build/tools/bin/clang-tidy
$(tools) &: scripts/python-tools.txt
	python3 -m venv build/tools
	build/tools/bin/pip install --quiet --disable-pip-version-check --requirement $<
	touch $(tools)

format: build/tools/bin/clang-format
	@$< -i $(sources)

check-format: build/tools/bin/clang-format
	@$< --dry-run --Werror $(sources)

# clang-tidy reads the commands of clang alone.
tidy: override PRESET := ci
tidy: build/tools/bin/clang-tidy configure
	scripts/tidy build/ci --clang-tidy $< --jobs $(JOBS)

clean:
	rm -rf build
