import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A state, a cloud or both come back from a copy, behind the daemons' back.
    @Suite("Restored states, copied devices, clouds that went back")
    struct RestoredStateTests {
        private func copy(_ source: String, to target: String) throws {
            // `cp` copies sockets, too.
            let copy = try Process.run(
                URL(filePath: "/bin/sh"), arguments: ["-ec", "rm -rf \(target); cp -a \(source) \(target)"])
            copy.waitUntilExit()
            try #require(copy.terminationStatus == 0)
        }

        private func syncAll(_ devices: TestDevice...) async throws {
            for _ in 0..<2 { for device in devices { try await device.sync() } }
        }

        @Test("a state from a backup follows its own later changes and undoes none of them")
        func restored() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell(
                    "echo v1 > doc; echo x > x; echo z > z; echo gone > gone; mkdir p.rtfd; echo 1 > p.rtfd/t")
                try await syncAll(a, b)
                try await a.stop()
                try copy(a.state, to: "\(a.state)-backup")
                try await a.start()
                try await a.shell("echo 'v2, longer' > doc; mv x y; chmod 600 z; rm gone; echo 'two' > p.rtfd/t")
                try await syncAll(a, b)
                try await b.shell("echo 'a chapter by B' >> doc")
                try await syncAll(b, a)
                try await a.shell("echo 'a line by A' >> doc")
                try await syncAll(a, b)
                try await a.stop()
                try copy("\(a.state)-backup", to: a.state)
                try await a.start()
                try await syncAll(a, b)
                for device in [a, b] {
                    #expect(try await device.contents("doc") == "v2, longer\na chapter by B\na line by A")
                    #expect(try await device.list() == ["doc", "p.rtfd", "y", "z"])
                    #expect(try await device.shell("stat -c %a z").trimmed == "600")
                    #expect(try await device.contents("p.rtfd/t") == "two")
                }
                let status = try await a.ubiquity(["status", a.mount]).text()
                #expect(status.contains("its state was restored from a backup, or is a copy"), "\(status)")
                try await a.shell("echo 'and on' >> doc")
                try await test.expectConverged()
            }
        }

        @Test("an edit that waits in a restored state meets the newer text as a conflict")
        func waiting() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("echo v1 > doc")
                try await syncAll(a, b)
                try await a.ubiquity(["offline", a.mount]).text()
                try await a.shell("echo 'waiting' > doc")
                try await a.stop()
                try copy(a.state, to: "\(a.state)-backup")
                try await a.start()
                try await a.ubiquity(["online", a.mount]).text()
                try await a.sync()
                try await a.shell("echo 'newer' > doc")
                try await syncAll(a, b)
                try await a.stop()
                try copy("\(a.state)-backup", to: a.state)
                try await a.start()
                try await a.ubiquity(["online", a.mount]).text()
                try await syncAll(a, b)
                #expect(try await b.shell("cat doc*").contains("newer"))
                try await test.expectConverged()
            }
        }

        @Test("a deletion that waits in a restored state does not undo a later restore")
        func waitingDeletion() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("echo v1 > doc; mkdir folder p.rtfd; echo in > folder/in; echo part > p.rtfd/t")
                try await syncAll(a, b)
                try await a.ubiquity(["offline", a.mount]).text()
                try await a.shell("rm -r doc folder p.rtfd")
                try await a.stop()
                try copy(a.state, to: "\(a.state)-backup")
                try await a.start()
                try await a.ubiquity(["online", a.mount]).text()
                try await syncAll(a, b)
                for name in ["doc", "folder", "p.rtfd"] { try await b.ubiquity(["restore", b.path(name)]).text() }
                try await syncAll(b, a)
                try await a.stop()
                try copy("\(a.state)-backup", to: a.state)
                try await a.start()
                try await a.ubiquity(["online", a.mount]).text()
                try await syncAll(a, b)
                for device in [a, b] {
                    #expect(try await device.list() == ["doc", "folder", "p.rtfd"])
                    #expect(try await device.shell("cat doc folder/in p.rtfd/t") == "v1\nin\npart")
                }
                try await test.expectConverged()
            }
        }

        @Test("two daemons on copies of one state become two devices: both keep their edits, and the log comes to rest")
        func clone() async throws {
            try await TestDevices.with(devices: ["A", "B", "C"]) { test in
                let (a, b, c) = (test.a, test.b, test.devices[2])
                try await a.shell("echo v1 > doc")
                try await syncAll(a, b)
                try await c.stop()
                try await a.stop()
                try copy(a.state, to: c.state)
                try await a.start()
                try await c.start()
                try await a.shell("echo 'by A' > a; echo 'v2 by A' > doc")
                try await c.shell("echo 'by C' > c")
                try await syncAll(a, c, b)
                try await c.shell("echo 'v3 by C' >> doc")
                try await syncAll(c, a, b)
                let length = test.cloud.entryCount
                try await test.expectConverged()
                for device in [a, b, c] {
                    #expect(try await device.list() == ["a", "c", "doc"])
                    #expect(try await device.contents("doc") == "v2 by A\nv3 by C")
                }
                #expect(test.cloud.entryCount == length, "no entry is written in response to the other's")
                let versions = try await b.ubiquity(["versions", "\(b.documents)/doc", "--json"]).text()
                #expect(versions.contains("current"))
            }
        }

        @Test(
            "a cloud that went back is named as such however it grows, nothing is evicted on its word, and a reset loses nothing"
        )
        func cloudWentBack() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("echo v1 > doc")
                try await syncAll(a, b)
                try await a.stop()
                try copy(test.cloud.directory, to: "\(test.cloud.directory)-backup")
                try await b.shell("echo 'v2 by B' > doc; echo 'by B' > new")
                try await b.sync()
                try await b.stop()
                try copy("\(test.cloud.directory)-backup", to: test.cloud.directory)
                try await a.start()
                for number in 1...4 {
                    try await a.shell("echo \(number) > a\(number)")
                    try await a.sync()
                }
                try await b.start()
                for _ in 0..<2 {
                    let outcome = try await b.ubiquity(["sync", "--wait", b.mount])
                    #expect(outcome.status == 6 && outcome.errors.contains("another history"), "\(outcome.errors)")
                    #expect(try await b.attribute("isUploaded", of: "new") == "0")
                    let evicted = try await b.ubiquity(["evict", "\(b.documents)/new"])
                    #expect(evicted.status == 6, "\(evicted.errors)")
                    #expect(try await b.contents("new") == "by B")
                    let check = try await b.ubiquity(["check", b.mount])
                    #expect(check.errors.contains("shows another history of CloudDocs"), "\(check.errors)")
                    // It is remembered over a restart, also without the cloud.
                    try await b.restart()
                }
                try await b.ubiquity(["reset", b.mount, "--yes"]).text()
                try await syncAll(b, a)
                try await test.expectConverged()
                let recovered = try await a.shell("cat Recovered/*/CloudDocs/Documents/* | sort | tr '\\n' ' '")
                #expect(recovered == "by B v2 by B")
                #expect(try await b.list() == ["Recovered", "a1", "a2", "a3", "a4", "doc"])
            }
        }

        @Test("a log in which a synchroniser mixed two copies is recognised by a new device, and a reset joins it")
        func twoHistories() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let (a, b) = (test.a, test.b)
                try await a.shell("echo v1 > doc")
                try await syncAll(a, b)
                let other = "\(test.cloud.directory)-other"
                try copy(test.cloud.directory, to: other)
                try await b.stop()
                try await a.shell("echo 'by A' > fromA")
                try await a.sync()
                try await a.shell("echo 'more by A' > moreA")
                try await a.sync()
                try await a.stop()
                // B's copy of the directory gets an entry of the same number, and it wins; A's later entry follows it.
                let log = "containers/CloudDocs/log/000000"
                let entries = try FileManager.default.contentsOfDirectory(atPath: "\(test.cloud.directory)/\(log)")
                    .sorted()
                let common = try FileManager.default.contentsOfDirectory(atPath: "\(other)/\(log)").count
                let (contested, last) = (entries[common], "\(test.cloud.directory)/\(log)/\(entries[common])")
                try copy(test.cloud.directory, to: "\(test.cloud.directory)-a")
                try copy(other, to: test.cloud.directory)
                try await b.start()
                try await b.shell("echo 'by B' > fromB")
                try await b.sync()
                try await b.stop()
                try await a.runner.run(
                    "sh",
                    [
                        "-ec",
                        "cd \(test.cloud.directory)-a; rm \(log)/\(contested); cp -an . \(test.cloud.directory)/",
                    ], in: "/"
                ).text()
                #expect(FileManager.default.fileExists(atPath: last))
                try await b.start()
                let outcome = try await b.ubiquity(["sync", "--wait", b.mount])
                #expect(outcome.status == 6 && outcome.errors.contains("two histories"), "\(outcome.errors)")
                try await b.ubiquity(["reset", b.mount, "--yes"]).text()
                try await b.sync()
                try await a.start()
                _ = try await a.ubiquity(["sync", "--wait", a.mount])
                try await a.ubiquity(["reset", a.mount, "--yes"]).text()
                try await syncAll(a, b)
                try await test.expectConverged()
                let all = try await a.shell("find . -type f -exec cat {} + | sort -u | tr '\\n' ' '")
                #expect(all == "by A by B more by A v1", "\(all)")
            }
        }
    }
}

extension String {
    fileprivate var trimmed: String { trimmingCharacters(in: .whitespacesAndNewlines) }
}

extension TestCloud {
    /// The number of log entries common to all devices.
    fileprivate var entryCount: Int {
        let shard = "\(directory)/containers/CloudDocs/log/000000"
        return (try? FileManager.default.contentsOfDirectory(atPath: shard).count) ?? 0
    }
}
