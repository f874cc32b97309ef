import Foundation
import TestSupport
import Testing

extension FaultSuite {
    /// The bytes of an edit exist nowhere else.
    @Suite("An edit that waits for the cloud")
    struct WaitingEditTests {
        @Test(
            "a corrupted byte of the edit is found, and the edit is not uploaded before a program saves the document again"
        )
        func damaged() async throws {
            try await FaultBench.with { bench in
                let victim = bench.victim
                let clock = try ShiftedClock(of: victim, in: bench.test.plain("clock"))
                try await victim.stop()
                try await clock.start()
                try await victim.shell("seq 1 60000 > thesis; seq 1 50000 > letter")
                try await victim.sync()
                try FileManager.default.moveItem(atPath: bench.test.cloud.directory, toPath: "\(bench.test.root)/away")
                try await victim.shell("seq 1 70000 > thesis; seq 2 50000 > letter")
                try clock.set(120)
                let blob = try await bench.sealedBlobs(2)[0]
                try await bench.flip(blob)

                let found = try await victim.ubiquity(["check", victim.mount])
                #expect(found.status == 7 && found.errors.contains("/thesis"), "\(found)")
                #expect(
                    found.errors.contains("its bytes on this device are damaged, and they are not in the cloud"))

                try FileManager.default.moveItem(atPath: "\(bench.test.root)/away", toPath: bench.test.cloud.directory)
                try await eventually("the undamaged one is there, and the other is not") {
                    let there = try await bench.observer.tryShell(
                        "seq 2 50000 | cmp - letter; seq 1 60000 | cmp - thesis")
                    let status = try await victim.ubiquity(["status", victim.path("thesis")])
                    return there.succeeded && status.output.contains("were corrupted")
                }
                try await victim.shell("seq 1 70000 > thesis.new; mv thesis.new thesis")
                try await victim.sync()
                try await eventually("what was saved again is on both") {
                    try await bench.observer.tryShell("seq 1 70000 | cmp - thesis").succeeded
                }
                #expect(try await victim.ubiquity(["check", victim.mount]).status == 0)
            }
        }

        @Test("a program that sets the time back after a write has made an edit, not damage")
        func timeSetBack() async throws {
            try await FaultBench.with { bench in
                let victim = bench.victim
                let clock = try ShiftedClock(of: victim, in: bench.test.plain("clock"))
                try await victim.stop()
                try await clock.start()
                try FileManager.default.moveItem(atPath: bench.test.cloud.directory, toPath: "\(bench.test.root)/away")
                try await victim.shell("seq 1 60000 > song")
                try clock.set(120)
                _ = try await bench.sealedBlobs(1)
                let stamp = try bench.test.plain("stamp")
                try await victim.shell(
                    "touch -r song \(stamp)/t; printf tag | dd of=song conv=notrunc status=none; touch -r \(stamp)/t song"
                )
                let checked = try await victim.ubiquity(["check", victim.mount])
                #expect(!checked.errors.contains("damaged"), "\(checked)")
                try FileManager.default.moveItem(atPath: "\(bench.test.root)/away", toPath: bench.test.cloud.directory)
                try await victim.sync()
                try await eventually("the edit is on both") {
                    try await bench.observer.tryShell("head -c 3 song | grep -q tag").succeeded
                }
            }
        }
    }
}

extension FaultBench {
    /// Waits until `count` edits are sealed and returns their blobs, the largest first.
    fileprivate func sealedBlobs(_ count: Int) async throws -> [String] {
        let script = """
            find '\(victim.state)/content' -type f -printf '%s %p\\n' | sort -rn | while read -r size blob; do
              getfattr -n user.seal "$blob" > /dev/null 2>&1 && echo "$blob"
            done; true
            """
        let sealed = { [victim] in try await victim.runner.run("bash", ["-c", script], in: "/").lines() }
        try await eventually("\(count) edits are sealed") { try await sealed().count == count }
        return try await sealed()
    }

    /// Changes a byte as a bad disk does, without changing a time.
    fileprivate func flip(_ blob: String) async throws {
        let script = """
            touch -r '\(blob)' stamp
            printf '\\377' | dd of='\(blob)' bs=1 seek=1000 conv=notrunc status=none
            touch -r stamp '\(blob)'; rm stamp
            """
        _ = try await victim.runner.run("bash", ["-euc", script], in: test.root).text()
    }
}
