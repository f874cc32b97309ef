import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// A daemon's inheritance from its starting process, and other processes' effects on it.
    @Suite("The surroundings of a daemon")
    struct SurroundingsTests {
        @Test("a lock and a pipe of the script that mounts end with it, also after a crash of the daemon")
        func descriptors() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                // Without this setting a crash ends a test's daemon.
                let outlives = a.runner.adding(["SWIFT_BACKTRACE": ""])
                func script(_ text: String) async throws -> ProgramOutcome {
                    try await outlives.run("bash", ["-c", text], in: test.root, limit: .seconds(30))
                }
                for mount in [
                    a.command(["mount", a.mount, "--state", a.state]),
                    // Runs in the foreground until the mount responds; its output is not the script's.
                    "(\(a.command(["mount", "--foreground", a.mount, "--state", a.state])) > /dev/null 2>&1 &); "
                        + "until mountpoint -q \(a.mount) && [ -d \(a.documents) ]; do sleep 0.05; done",
                ] {
                    try await a.stop()
                    let piped = try await script(
                        "cat <( exec 5>&1 9> lock; flock 9; { \(mount); } > /dev/null 2>&1 < /dev/null; echo done )")
                    #expect(piped.output == "done\n", "\(piped)")
                    #expect(try await script("flock -n lock true").succeeded)
                    let holder = try String(contentsOfFile: "\(a.state)/lock", encoding: .utf8)
                    a.daemon.set(Int32(holder.prefix { $0.isNumber }))
                }
                a.daemon.send(SIGSEGV)
                try await eventually("it serves again") { try await a.tryShell("ls").succeeded }
                #expect(try await script("flock -n lock true").succeeded)
            }
        }

        @Test(
            "a daemon that gets SIGHUP unmounts, as by SIGTERM, also when it gets both",
            arguments: [[SIGHUP], [SIGTERM, SIGHUP], [SIGQUIT]])
        func ends(signals: [Int32]) async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo kept > f")
                for signal in signals { test.a.daemon.send(signal) }
                try await eventually("the daemon has ended") { test.a.daemon.pid.map { kill($0, 0) != 0 } ?? true }
                #expect(!test.a.isMounted())
                try await test.a.start()
                #expect(try await test.a.contents("f") == "kept")
            }
        }

        @Test("signals that mean nothing to a daemon do not end its mount")
        func ignored() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                try await test.a.shell("echo kept > f")
                let pid = test.a.daemon.pid
                for signal in [SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGPROF, SIGPOLL, SIGPWR, SIGPIPE] {
                    test.a.daemon.send(signal)
                }
                #expect(try await test.a.contents("f") == "kept")
                try await test.a.shell("echo more >> f")
                #expect(test.a.daemon.isRunning && test.a.daemon.pid == pid)
            }
        }

        @Test("a mount by a process whose standard descriptors are closed, or whose umask is 777, is as any other")
        func closed() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.stop()
                func mount(_ redirections: String, _ state: String) async throws -> ProgramOutcome {
                    let command = a.command(["mount", a.mount, "--state", state, "--cloud", test.cloud.url])
                    return try await a.runner.run(
                        "bash", ["-c", "umask 777; \(command) \(redirections)"], in: test.root)
                }
                for (number, redirections) in ["<&- >&- 2>&-", ">&- 2>&-", ""].enumerated() {
                    let state = "\(test.root)/state-\(number)"
                    let outcome = try await mount(redirections, state)
                    #expect(outcome.succeeded, "\(redirections): \(outcome)")
                    try await a.shell("echo \(number) > f; cat f")
                    var status = stat()
                    #expect(stat(state, &status) == 0 && status.st_mode & 0o777 == 0o700)
                    #expect(stat("\(state)/daemon.log", &status) == 0 && status.st_mode & 0o777 == 0o600)
                    _ = try await a.ubiquity(["unmount", a.mount]).text()
                }
                try await a.start()
            }
        }

        @Test("the soft limits of the shell that mounts do not bind the daemon")
        func softLimits() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.stop()
                let command = a.command(["mount", a.mount, "--state", a.state])
                let limits = "ulimit -S -f 100; ulimit -S -t 60; ulimit -S -v 1000000; ulimit -S -d 500000"
                try a.adopt(await a.runner.run("bash", ["-c", "\(limits); \(command)"], in: test.root))
                let pid = try #require(a.daemon.pid)
                let rows = try String(contentsOfFile: "/proc/\(pid)/limits", encoding: .utf8).split(separator: "\n")
                for name in ["Max cpu time", "Max file size", "Max address space", "Max data size", "Max open files"] {
                    let row = try #require(rows.first { $0.hasPrefix(name) })
                    let values = row.dropFirst(name.count).split(separator: " ")
                    #expect(values[0] == values[1], "\(row)")
                }
                try await a.shell("head -c 1000000 /dev/zero > large && test $(stat -c %s large) = 1000000")
                try await a.sync()
            }
        }

        @Test("a daemon without memory for more keeps all that it acknowledged, hangs no program, and can be unmounted")
        func withoutMemory() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                let pid = try #require(a.daemon.pid)
                let pages = try #require(
                    try String(contentsOfFile: "/proc/\(pid)/statm", encoding: .utf8).split(separator: " ").first
                        .flatMap { Int($0) })
                let limit = pages * Int(getpagesize()) + (1 << 20)
                try await a.shell("prlimit --pid \(pid) --as=\(limit)")
                let done = "\(test.root)/acknowledged"
                try await a.shell(
                    """
                    write() { for i in $(seq $1 3 240); do seq $i 30000 > n$i && echo $i >> \(done); done; }
                    touch \(done); (write 1 & write 2 & write 3 & wait) 2> \(test.root)/errors
                    """)
                try await a.stop()
                try await a.start()
                try await a.shell(
                    "while read i; do seq $i 30000 | cmp - n$i || exit 1; done < \(done); echo more > f; cat f")
            }
        }

        @Test("a mount from a removed folder, with a hostile environment, is as any other")
        func environment() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.stop()
                let settings = [
                    "TZ": ":/none", "LC_ALL": "xx_YY.none", "TMPDIR": "/none", "TERM": "none", "PATH": "/none",
                    "NOTIFY_SOCKET": "/none", "DBUS_SESSION_BUS_ADDRESS": "unix:path=/none", "http_proxy": "none",
                ]
                let command = a.command(["mount", a.mount, "--state", a.state])
                let outcome = try await a.runner.adding(settings).run(
                    "/bin/bash", ["-c", "/bin/mkdir gone; cd gone; /bin/rmdir ../gone; \(command)"], in: test.root)
                try a.adopt(outcome)
                try await a.shell("echo text > f; cat f")
                try await a.sync()
            }
        }

        @Test("a mount that commands could not find is refused, and leaves nothing behind")
        func unregistered() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.stop()
                let nowhere = a.runner.adding(["XDG_RUNTIME_DIR": "/proc/none", "XDG_STATE_HOME": "/proc/none"])
                let command = a.command(["mount", a.mount, "--state", a.state])
                let outcome = try await nowhere.run("bash", ["-c", command], in: test.root)
                #expect(outcome.errors.contains("no folder for the list of mounts can be written"), "\(outcome)")
                #expect(!outcome.succeeded && !a.isMounted())
                try await a.start()
            }
        }

        @Test(
            "a daemon whose descriptors are used up refuses opens, keeps the rest going, and goes on when there are some"
        )
        func descriptorsUsedUp() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let a = test.a
                try await a.shell("for k in $(seq 300); do echo $k > $k; done")
                try await a.sync()
                try await a.stop()
                let low = try await mount(a, limit: 100)
                #expect(!low.succeeded && low.errors.contains("Raise it to at least 256"), "\(low)")
                try a.adopt(await mount(a, limit: 256))
                let pid = try #require(a.daemon.pid)
                // Each open file of a program is an open file of the daemon.
                let outcome = try await a.tryShell(
                    """
                    ulimit -n 1024; set +e
                    for k in $(seq 300); do exec {f}< $k; done
                    for k in $(seq 300); do echo more > new$k; done
                    sleep 3; \(a.command(["status", a.mount]))
                    """)
                #expect(outcome.errors.contains("Too many open files in system"), "\(outcome)")
                #expect(outcome.output.contains("pid \(pid)"), "\(outcome)")
                try await a.shell("for k in $(seq 300); do echo more >> $k; done")
                try await test.expectConverged()
                #expect(a.daemon.pid == pid && a.daemon.isRunning)
                let log = try String(contentsOfFile: "\(a.state)/daemon.log", encoding: .utf8)
                #expect(!log.contains("crashed by signal"), "\(log.suffix(4000))")
                #expect(log.split(separator: "\n").count < 1_000, "\(log.suffix(4000))")
            }
        }

        /// Mounts with a limit of open files that the daemon cannot raise.
        private func mount(_ device: TestDevice, limit: Int) async throws -> ProgramOutcome {
            let command = device.command(["mount", device.mount, "--state", device.state])
            let bounds = geteuid() == 0 ? "setpriv --bounding-set=-sys_resource " : ""
            return try await device.runner.run(
                "bash", ["-c", "ulimit -n \(limit) && exec \(bounds)\(command)"], in: "/")
        }
    }
}
