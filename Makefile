# The verbs of this project. Two do all the set-up a fresh machine needs: `make run` and `make test`.

# One configuration for everything: the tests drive the optimised daemon that people run, and nothing is built twice.
CONFIGURATION := release
SWIFT_BUILD := swift build -c $(CONFIGURATION)
SWIFT_TEST := swift test -c $(CONFIGURATION)

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help setup setup-build build run stop test check format bench install deb clean

help:
	@echo "make run      build, mount ~/MobileDocuments in the background, say what to try"
	@echo "make stop     unmount it; edits that are not uploaded yet are kept"
	@echo "make test     build and run every test (TESTS=name runs those whose names match)"
	@echo "make check    formatting and house rules"
	@echo "make format   format the sources"
	@echo "make bench    measure against the underlying disk"
	@echo "make setup    install the Debian packages that building and testing need"
	@echo "make install  install below PREFIX ($(PREFIX)), staged in DESTDIR"
	@echo "make deb      build a Debian package that needs no Swift where it is installed"

setup:
	scripts/setup build test

setup-build:
	scripts/setup build

build: setup-build
	$(SWIFT_BUILD)

run: build
	scripts/run

stop:
	scripts/stop

test: setup
	$(SWIFT_BUILD) --build-tests
	$(SWIFT_TEST) --skip-build $(if $(TESTS),--filter '$(TESTS)')

check: setup
	swift format lint --strict --parallel --recursive Sources Tests Package.swift
	$(SWIFT_BUILD) --build-tests
	$(SWIFT_TEST) --skip-build --filter TidyTests

format:
	swift format --in-place --parallel --recursive Sources Tests Package.swift

bench: build
	Benchmarks/run

install: setup-build
	packaging/stage "$(DESTDIR)" "$(PREFIX)"

deb: setup-build
	packaging/deb

clean:
	rm -rf .build packaging/build
