# The commands of this project. `make run` and `make test` do all the set-up that a fresh machine needs.

# Users run optimised programs; tests run with every check of a debug build.
# SwiftPM passes the enabled traits to compilers in the order of a set. That order is another one in each of its processes, and with another order
# all of our modules are compiled again: by the build of a second product, and by each build after `swift test`.
BUILD := env SWIFT_DETERMINISTIC_HASHING=1 swift build
SWIFT_BUILD := $(BUILD) -c release
SWIFT_BUILD_TESTS := $(BUILD) --build-tests
SWIFT_TEST := swift test --skip-build
# Suites with whole daemons and mounts need the machine for themselves: beside a thousand other tests they would only reach their timeouts.
ALONE := DirectoryCloudTests HTTPCloudTests S3CloudTests SimulationTests EndToEndTests FuseTests DaemonCoreTests CommandsTests ReferenceModelTests \
	PowerLossTests FaultTests UbiquityTests

# Suites that need no root, no mount and no packages but those of the build. They are about half of all tests.
UNIT := BasicsTests CallHandlersTests ChunkingTests ClaimServiceTests CloudModelTests CloudProtocolTests CloudStorageTests ContainerLogTests \
	ControlServerTests CoordinationTests CryptographyTests DaemonProtocolTests DocumentMovesTests HTTPTransportTests KeyValuesTests \
	LiveQueriesTests LocalContentTests LocalMetadataTests MaintenanceTests MountTests QueriesTests RecordsTests S3ClientTests \
	SharedDatabasesTests SyncTests TransfersTests UbiquityDataTests VirtualFileSystemTests

PREFIX ?= /usr/local
DESTDIR ?=

.PHONY: help setup setup-build build run stop test unit simulate golden histories reads model powerloss faults fuzz fuzz-build tsan check fresh-install format \
	bench bench-requests database-cost database-bench scale services server-load collection distant-bucket worst-client namespaces desktop desktop-programs s3 cluster cluster-load stress docs \
	install deb clean

help:
	@echo "make run      build, mount ~/MobileDocuments in the background, show what to try"
	@echo "make stop     unmount it; edits that are not uploaded yet are kept"
	@echo "make test     build and run every test (TESTS=name runs those whose names match)"
	@echo "make unit     build, and run the suites that need no root, mount or packages of Debian but those of the build"
	@echo "make simulate random histories of several devices (HISTORIES=10000, START=1 or random; SEED=n STEPS=n again)"
	@echo "make golden   record logs that every later release has to fold alike (SEED=n STEPS=n the log of a simulated history)"
	@echo "make histories random histories of three real daemons and mounts (SERVER=1 or CLUSTER=1 on a server or cluster behind networks that fail; HISTORIES=100, SEED=n again)"
	@echo "make reads    read documents whose bytes are in the cloud while the network fails (READS=2000)"
	@echo "make model    play OPERATIONS=100000 random calls on a mount and on a disk (SEED=n again, ALL=1 every short history)"
	@echo "make powerloss cut a device's power in STATES=5000 ways, block by block, and CUTS=20 times under a daemon (SEED=n)"
	@echo "make faults   disturb daemons at system calls, a share of them (ALL=1 at every one, an hour; FLOW=upload only there)"
	@echo "make fuzz     feed every decoder with libFuzzer (TARGET=name, SECONDS=10 or RUNS=10000000 for each)"
	@echo "make tsan     run the tests under the thread sanitizer (TESTS=name runs those whose names match)"
	@echo "make check    formatting and house rules"
	@echo "make format   format the sources"
	@echo "make bench    measure against the underlying disk, rclone's mount and passthrough_hp (BENCH=--quick is faster)"
	@echo "make database-cost  what operations cost the local database in pages and steps (ITEMS=1000,100000)"
	@echo "make database-bench  what sharing a SQLite database costs: capture beside plain statements, publishing, importing (ROWS=50000, ROUNDS=7)"
	@echo "make bench-requests  requests of the kernel, transactions and flushes of the disk per workload, for docs/PERFORMANCE.md"
	@echo "make scale    real trees, 100,000 items and large files through two devices, measured (half an hour)"
	@echo "make server-load  200 devices at one server, a large upload that breaks again and again, a new device (LOAD=options)"
	@echo "make collection  three devices collect the garbage of a directory cloud (COLLECTION='--gib 5')"
	@echo "make distant-bucket  first bytes, saves and uploads on a bucket that is 60 ms away (DISTANT='--latency 60')"
	@echo "make worst-client  what one account's attacks cost another's reads (ATTACKS='--seconds 8 --limit 200')"
	@echo "make namespaces a server and two devices in network namespaces, behind cables that delay, reorder, drop and fail (NETWORK='--seconds 14 --mib 64 --cuts 1')"
	@echo "make desktop  open a mount in real file managers without a screen, check their emblems, take pictures (MANAGERS='nautilus thunar')"
	@echo "make desktop-programs  what real thumbnailers, indexers and scanners download of 1,000 documents in the cloud; copies are compared (BACKGROUND='tracker cp')"
	@echo "make s3       the tests of S3 on a real engine, Ceph's radosgw (TESTS=name, HISTORIES=20, SEED=n again)"
	@echo "make cluster  a cluster on loopback until Ctrl-C: PostgreSQL, radosgw, three server processes, nginx (PROCESSES=3)"
	@echo "make cluster-load  200 devices at a cluster whose parts are killed, beside one process with each engine (LOAD=options)"
	@echo "make services measure coordinated reads, live queries and emblems (SERVICES=claims, queries or emblems)"
	@echo "make stress   fio with checksums, stress-ng's file system stressors and a long mixed load in a mount"
	@echo "make docs     build the documentation of the libraries Ubiquity and UbiquityData with DocC, in .build/docs"
	@echo "make setup    install the Debian packages that building and testing need"
	@echo "make install  install below PREFIX ($(PREFIX)), staged in DESTDIR"
	@echo "make deb      build a Debian package that needs no Swift where it is installed"
	@echo "make fresh-install  install that package in a new Debian with GNOME's file manager, and look at a mount there (needs root)"

setup:
	scripts/setup build test

setup-build:
	scripts/setup build

# Without the tools of the tests, which a user who only runs the programs does not need.
PROGRAMS := ubiquity ubiquityd ubiquity-server
build: setup-build
	@for program in $(PROGRAMS); do \
		[ -x .build/release/$$program ] || echo "Building $$program and what it needs, the first time, for some minutes:"; \
		$(SWIFT_BUILD) --product $$program || exit; \
	done

# A mount needs no server, nor the packages that only a server uses.
run: PROGRAMS := ubiquity ubiquityd
run: build
	scripts/run

stop:
	scripts/stop

# Optimised, because it runs thousands of histories; in a folder of its own, so that it does not invalidate the other builds.
SIMULATE_BUILD := .build/simulate
BUILD_SIMULATE := $(SWIFT_BUILD) --scratch-path $(SIMULATE_BUILD) --product simulate
SIMULATE := $(SIMULATE_BUILD)/release/simulate
# Nearly all tests do without it, so a run of some of them does not build it. It is built while other tests run, which mostly wait.
NEEDS_SIMULATE := $(if $(TESTS),$(findstring Campaign,$(TESTS))$(findstring Simulation,$(TESTS)),all)

test: setup
	$(SWIFT_BUILD_TESTS)
	$(if $(NEEDS_SIMULATE),SIMULATOR=$(SIMULATE) BUILD_SIMULATOR='$(BUILD_SIMULATE)') TESTS='$(TESTS)' scripts/test $(ALONE)

empty :=
space := $(empty) $(empty)
unit: setup-build
	$(SWIFT_BUILD_TESTS)
	TESTS='^($(subst $(space),|,$(strip $(UNIT))))\.' scripts/test

simulate: setup-build
	$(BUILD_SIMULATE)
ifdef SEED
	$(SIMULATE) --seed $(SEED) $(if $(STEPS),--steps $(STEPS)) $(if $(BUG),--bug $(BUG)) $(if $(VOCABULARY),--vocabulary $(VOCABULARY)) $(if $(VERBOSE),--verbose)
else
	$(SIMULATE) --histories $(or $(HISTORIES),10000) $(if $(VOCABULARY),--vocabulary $(VOCABULARY)) $(if $(MINUTES),--minutes $(MINUTES)) --start $(or $(START),1) $(if $(STEPS),--steps $(STEPS)) --twice $(or $(TWICE),0)
	$(SIMULATE) --collections --histories $(or $(HISTORIES),10000) --start $(or $(START),1)
	$(SIMULATE) --databases --histories $(or $(HISTORIES),10000) --start $(or $(START),1)
	$(SIMULATE) --prove
endif

# Adds logs that are not there yet, and never writes one again: what a recorded log means stays so.
GOLDEN := Tests/ContainerLogTests/Golden
golden: setup-build
ifdef SEED
	$(BUILD_SIMULATE)
	$(SIMULATE) --seed $(SEED) --golden $(GOLDEN) $(if $(STEPS),--steps $(STEPS)) $(if $(VOCABULARY),--vocabulary $(VOCABULARY))
else
	$(SWIFT_BUILD_TESTS)
	UBIQUITY_GOLDEN=1 $(SWIFT_TEST) --filter '^ContainerLogTests.GoldenLogTests'
endif

histories: setup build
	$(if $(CLUSTER),scripts/setup cluster)
	scripts/histories $(if $(SERVER),--server) $(if $(CLUSTER),--cluster) --histories $(or $(HISTORIES),100) $(if $(SEED),--seed $(SEED))

reads: setup build
	scripts/reads --reads $(or $(READS),2000) $(if $(SEED),--seed $(SEED))

model: setup
	$(SWIFT_BUILD_TESTS)
	$(if $(OPERATIONS),MODEL_OPERATIONS=$(OPERATIONS)) $(if $(SEED),MODEL_SEED=$(SEED)) $(if $(ALL),MODEL_EXHAUSTIVE=1) \
		$(SWIFT_TEST) --filter '^ReferenceModelTests\.'

# Recordings of one seed differ in what the kernel writes when; a failing one is kept, and its path is printed.
powerloss: setup
	$(SWIFT_BUILD) --scratch-path $(SIMULATE_BUILD) --product powerloss
	$(SIMULATE_BUILD)/release/powerloss --states $(or $(STATES),5000) --seed $(or $(SEED),1)
	$(SIMULATE_BUILD)/release/powerloss --prove --seed $(or $(SEED),1)
	$(SWIFT_BUILD_TESTS)
	POWER_CUTS=$(or $(CUTS),20) $(SWIFT_TEST) --filter '^PowerLossTests\..*Volume'

faults: setup
	$(SWIFT_BUILD_TESTS)
	$(if $(ALL),FAULTS_ALL=1) $(if $(FLOW),FAULTS_FLOW='$(FLOW)') $(if $(REFUSAL),FAULTS_REFUSAL='$(REFUSAL)') $(SWIFT_TEST) --filter '^FaultTests\.'

FUZZ_BUILD := .build/fuzz
fuzz-build: setup
	UBIQUITY_FUZZ=1 $(SWIFT_BUILD) --scratch-path $(FUZZ_BUILD) --product FuzzTests

fuzz: fuzz-build
	scripts/fuzz $(FUZZ_BUILD)/release/FuzzTests $(FUZZ_BUILD)/work $(if $(TARGET),--target $(TARGET)) \
		$(if $(RUNS),--runs $(RUNS),--seconds $(or $(SECONDS),10))

# In a folder of its own, because all code is built with the sanitizer; nothing is suppressed.
TSAN_BUILD := .build/tsan
empty :=
space := $(empty) $(empty)
SWIFT_BIN = $(dir $(realpath $(shell command -v swift)))
tsan: setup
	$(SWIFT_BUILD_TESTS) --sanitize=thread --scratch-path $(TSAN_BUILD)
	$(SWIFT_BIN)clang -shared -fPIC -O1 -Wall -o $(TSAN_BUILD)/mutex.so Tests/Support/thread-sanitizer/mutex.c
	LD_PRELOAD=$(abspath $(TSAN_BUILD))/mutex.so TSAN_OPTIONS=exitcode=66 SWIFT_BACKTRACE=enable=no \
		$(TSAN_BUILD)/debug/ubiquityPackageTests.xctest --testing-library swift-testing \
		$(if $(TESTS),--filter '$(TESTS)',--skip '^($(subst $(space),|,$(ALONE) TidyTests))\.')

check: setup
	swift format lint --strict --parallel --recursive Examples Sources Tests Package.swift
	$(SWIFT_BUILD_TESTS)
	packaging/sbom --check
	$(SWIFT_TEST) --filter TidyTests

format:
	swift format --in-place --parallel --recursive Examples Sources Tests Package.swift

bench: build
	scripts/setup bench
	Benchmarks/run $(BENCH)

# ITEMS=1000,10000,100000 are the sizes of Benchmarks/results/measurements.md.
database-cost: setup-build
	$(SWIFT_BUILD_TESTS)
	DATABASE_ITEMS=$(or $(ITEMS),1000,10000,100000) $(SWIFT_TEST) --filter DatabaseCostTests

database-bench: setup-build
	$(SWIFT_BUILD) --scratch-path $(SIMULATE_BUILD) --product database-bench
	$(SIMULATE_BUILD)/release/database-bench --rows $(or $(ROWS),50000) --rounds $(or $(ROUNDS),7)

# The tests hold these numbers; they are not compared while they are printed.
REQUEST_COUNTS := .build/request-counts
bench-requests: setup
	$(SWIFT_BUILD_TESTS)
	rm -f $(REQUEST_COUNTS)
	REQUEST_COUNTS=$(abspath $(REQUEST_COUNTS)) $(SWIFT_TEST) --filter 'RequestCountTests/workload' > $(REQUEST_COUNTS).log || { cat $(REQUEST_COUNTS).log; exit 1; }
	@printf '%s\n' '| workload | requests | by kind | commits | reads | syncs |' '|---|---|---|---|---|---|'; cat $(REQUEST_COUNTS)

# SCALE=tree runs one of: tree, placeholders, folder, big, moves, million. The last one is not run unless it is named.
scale: setup build
	$(SWIFT_BUILD) --product long-log
	scripts/scale $(SCALE)

# LOAD='--devices 20 --seconds 10' is a short one, LOAD='--kill 30 --stop 20' one with faults.
server-load: setup build
	for program in server-load long-log; do $(SWIFT_BUILD) --product $$program || exit; done
	scripts/server-load $(LOAD)
	scripts/interrupted-upload
	scripts/newcomer

# COLLECTION='--gib 5' is the one of Benchmarks/results/measurements.md.
collection: setup build
	$(SWIFT_BUILD) --product clock-shift
	scripts/collection $(COLLECTION)

distant-bucket: setup build
	scripts/setup s3
	scripts/distant-bucket $(DISTANT)

worst-client: setup-build
	$(SWIFT_BUILD) --product ubiquity-server
	scripts/worst-client $(ATTACKS)

# Needs root to create network namespaces, and mounts in them.
namespaces: setup build
	scripts/namespaces $(NETWORK)

# The file managers are not packages that `make setup` installs, because only this needs them.
desktop: build
	scripts/setup desktop
	scripts/desktop --pictures docs/pictures $(MANAGERS)

# The programs are not packages that `make setup` installs, because only this needs them.
desktop-programs: build
	scripts/setup programs
	scripts/desktop-programs $(BACKGROUND)

# The engine is not a package that `make setup` installs, because only these tests need it.
s3: setup build
	scripts/setup s3
	$(SWIFT_BUILD_TESTS)
	scripts/s3 run -- scripts/bucket-rules
	scripts/s3 run --kill 3 -- scripts/bucket-rules --creation
	scripts/s3 run --requests 8 -- scripts/bucket-rules --creation
	UBIQUITY_S3_REQUIRED=1 scripts/s3 run -- $(SWIFT_TEST) --filter '$(or $(TESTS),^S3|RealBucketTests)'
	scripts/histories --s3 --histories $(or $(HISTORIES),20) $(if $(SEED),--seed $(SEED))

# Like the engine of S3, its packages are not installed by `make setup`.
cluster: setup-build
	scripts/setup cluster
	$(SWIFT_BUILD) --product ubiquity-server
	scripts/cluster run $(if $(PROCESSES),--processes $(PROCESSES))

# LOAD='--devices 20 --seconds 20' is a short one.
cluster-load: setup-build
	scripts/setup cluster
	for program in ubiquity-server server-load; do $(SWIFT_BUILD) --product $$program || exit; done
	scripts/server-load --cluster $(LOAD)

# SERVICES=claims runs one of: claims, queries, emblems.
services: setup build
	$(SWIFT_BUILD) --product presenter-tool
	scripts/services $(SERVICES)

# STRESS=fio runs one of: fio, stressors, soak.
stress: setup build
	scripts/setup stress
	scripts/stress $(STRESS)

docs: setup-build
	$(BUILD) --target Ubiquity
	$(BUILD) --target UbiquityData
	scripts/docs .build/docs

install: setup-build
	packaging/stage "$(DESTDIR)" "$(PREFIX)"

deb: setup-build
	packaging/deb

fresh-install: deb
	scripts/setup fresh-install
	scripts/fresh-install

clean:
	rm -rf .build packaging/build
