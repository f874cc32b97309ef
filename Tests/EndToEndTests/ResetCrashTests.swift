import Foundation
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Interrupted resets")
    struct ResetCrashTests {
        @Test("a daemon that is killed while it rebuilds its state loses nothing", arguments: [0, 60, 120, 200, 300])
        func killed(milliseconds: Int) async throws {
            try await TestDevices.with(devices: ["A"]) { test in
                let a = test.a
                try await a.shell("for i in $(seq 1 200); do seq $i $((i + 2000)) > $i; done; echo old > paused")
                try await a.sync()
                #expect(try await a.setAttribute("isSyncPaused", to: "1", of: "paused").succeeded)
                try await a.shell("echo new > paused")
                // The paused file is not uploaded, so the daemon stops waiting for it immediately, without other work.
                async let reset = a.ubiquity(["reset", a.mount, "--yes"], limit: .seconds(90))
                try await eventually("the rebuild has begun", within: .seconds(60)) {
                    let log = try String(contentsOfFile: "\(a.state)/daemon.log", encoding: .utf8)
                    return log.contains("[DaemonCore] stopped")
                }
                // This sleep does not wait for a condition: the cases differ in when the daemon dies.
                try await Task.sleep(for: .milliseconds(milliseconds))
                try await a.kill9()
                _ = try await reset
                try await a.start()
                try await eventually("every document is back") {
                    try await a.tryShell("for i in $(seq 1 200); do test -s $i; done; test -s paused").succeeded
                }
                // The device has either the old state, with the edit in place, or the new one, with the edit recovered.
                let texts = try await a.shell(
                    "cat paused; test ! -d Recovered || find Recovered -type f -exec cat {} +")
                #expect(texts.split(separator: "\n").contains("new"), "\(texts)")
                try await a.shell("for i in 1 77 200; do seq $i $((i + 2000)) | cmp - $i; done")
            }
        }
    }
}
