import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The daemon dies in the middle of its work; after the next start, every successfully closed file exists.
    @Suite("Crashes")
    struct CrashTests {
        @Test("a crash during a copy: every file that was closed is complete")
        func duringCopy() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let plain = try test.plain()
                // The script lists each file after its close has returned.
                async let copying = test.a.tryShell(
                    """
                    for i in $(seq 1 100000); do seq $i $((i + 2000)) > $i || break; echo $i >> \(plain)/closed; done
                    """)
                try await eventually("some files are there") {
                    try await test.a.tryShell("test $(wc -l < \(plain)/closed) -gt 100").succeeded
                }
                try await test.a.kill9()
                _ = try await copying
                try await test.a.start()
                try await test.a.shell("for i in $(cat \(plain)/closed); do seq $i $((i + 2000)) | cmp - $i; done")
                try await test.expectConverged()
            }
        }

        @Test("a daemon that crashes restarts itself, as the same process, and logs the crash")
        func startsAgain() async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                // Without this setting a crash ends a test's daemon, and its backtrace is in the log.
                let outlives = DaemonStandIn(of: test.a, environment: ["SWIFT_BACKTRACE": ""])
                try await test.a.stop()
                try await test.a.start(standIn: outlives)
                try await test.a.shell("echo kept > f")
                for crash in 1...2 {
                    test.a.daemon.send(SIGSEGV)
                    try await eventually("crash \(crash) is over") {
                        let log = try String(contentsOfFile: "\(test.a.state)/daemon.log", encoding: .utf8)
                        guard log.contains("crashes=\(crash)") else { return false }
                        return try await test.a.tryShell("test \"$(cat f)\" = kept").succeeded
                    }
                    let log = try String(contentsOfFile: "\(test.a.state)/daemon.log", encoding: .utf8)
                    #expect(log.components(separatedBy: "\ncrashed by signal \(SIGSEGV) at ").count == crash + 1)
                    #expect(test.a.daemon.isRunning)
                }
                try await test.a.shell("echo more >> f")
                try await test.a.sync()
            }
        }

        @Test("a crash during an upload: it continues after the restart")
        func duringUpload() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let plain = try test.plain()
                try await test.a.shell("head -c 200000000 /dev/urandom > \(plain)/big; cp \(plain)/big big")
                try await eventually("the upload has begun") { try test.cloud.contents().chunkBytes > 1 << 20 }
                try await test.a.kill9()
                try await test.a.start()
                try await test.a.shell("cmp \(plain)/big big")
                try await test.expectConverged()
                try await test.b.shell("cmp \(plain)/big big")
            }
        }

        @Test("a crash during a download: the bytes are correct after the restart")
        func duringDownload() async throws {
            try await TestDevices.withTwo { _, a, b in
                try await a.shell("head -c 400000000 /dev/urandom > big")
                try await a.sync()
                try await eventually("B lists it") { try await b.list() == ["big"] }
                async let reading = b.tryShell("cat big > /dev/null")
                try await eventually("the download has begun") {
                    // A fast download may have ended between two checks.
                    let percent = try await Int(b.attribute("percentDownloaded", of: "big") ?? "0") ?? 0
                    let status = try await b.attribute("status", of: "big")
                    return percent > 0 || status != "notDownloaded"
                }
                try await b.kill9()
                _ = try await reading
                try await b.start()
                try await b.shell("cmp big \(a.path("big"))")
            }
        }

        @Test("a crash during many renames: every item has its old or its new name, and both devices agree")
        func duringRenames() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("mkdir x y; for i in $(seq 1 300); do echo $i > x/$i; done")
                try await test.a.sync()
                async let storm = test.a.tryShell(
                    "while true; do for i in $(seq 1 300); do mv x/$i y/$i || exit 1; done; "
                        + "for i in $(seq 1 300); do mv y/$i x/$i || exit 1; done; done")
                try await eventually("the storm blows") { try await test.a.list("y").count > 20 }
                try await test.a.kill9()
                _ = try await storm
                try await test.a.start()
                #expect(try await test.a.shell("cat x/* y/* | sort -n | cmp - <(seq 1 300); echo all") == "all")
                try await test.expectConverged()
            }
        }

        @Test("a crash during evictions: every document is still complete")
        func duringEviction() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                try await test.a.shell("for i in $(seq 1 300); do seq $i $((i + 3000)) > $i; done")
                try await test.a.sync()
                async let evicting = test.a.ubiquity(["evict", test.a.documents])
                try await eventually("some are evicted, or all") {
                    try await test.a.attribute("status", of: "1") == "notDownloaded"
                }
                try await test.a.kill9()
                _ = try await evicting
                try await test.a.start()
                try await test.a.shell("for i in $(seq 1 300); do seq $i $((i + 3000)) | cmp - $i; done")
                try await test.expectConverged()
            }
        }

        @Test("an edit survives a crash right after its close, and a save by rename is complete")
        func duringSaves() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let plain = try test.plain()
                async let saving = test.a.tryShell(
                    """
                    for i in $(seq 1 100000); do
                        seq $i $((i + 500)) > new && mv new doc || break; echo $i > \(plain)/last.new; mv \(plain)/last.new \(plain)/last
                    done
                    """)
                try await eventually("many saves are done") {
                    try await test.a.tryShell("test $(cat \(plain)/last) -gt 50").succeeded
                }
                try await test.a.kill9()
                _ = try await saving
                try await test.a.start()
                try await test.a.shell(
                    "first=$(head -1 doc); test $first -ge $(cat \(plain)/last); seq $first $((first + 500)) | cmp - doc"
                )
                try await test.expectConverged()
            }
        }
    }
}
