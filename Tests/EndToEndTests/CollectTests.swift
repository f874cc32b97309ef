import Foundation
import S3Client
import S3Double
import TestSupport
import Testing

extension EndToEnd {
    /// Garbage in serverless clouds, with daemons whose clocks are set forward.
    @Suite("Collecting garbage")
    struct CollectTests {
        private struct Document: Decodable {
            struct Mount: Decodable { let containers: [Container] }
            struct Container: Decodable {
                let garbageBytes: UInt64, removedChunks: UInt64, removedBytes: UInt64, storedBytes: UInt64
                let proposedSince: String?
            }
            let mounts: [Mount]
        }

        private static let day = 86_400

        private func collect(_ device: TestDevice, _ options: String...) async throws -> Document.Container {
            let text = try await device.ubiquity(["collect", "--json"] + options).text()
            let document = try JSONDecoder().decode(Document.self, from: Data(text.utf8))
            return try #require(document.mounts.first?.containers.first)
        }

        @Test("in a directory, what was deleted a month ago is removed a day after it was proposed, and nothing else")
        func directory() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { try await collectsWhatNothingNeeds($0) }
        }

        @Test("in a bucket, what was deleted a month ago is removed a day after it was proposed, and nothing else")
        func bucket() async throws {
            let credentials = try #require(S3Credentials(accessKey: "KEY", secretKey: "secret"))
            let double = S3Double(credentials: credentials)
            try await double.serve(prefix: "documents") { location in
                try await TestDevices.with(devices: ["A", "B"], cloud: "\(location)") { test in
                    try await test.a.login(bucket: "\(location)")
                } _: {
                    // A store refuses requests with a different time.
                    try await collectsWhatNothingNeeds($0) { double.shiftClock(by: .seconds($0)) }
                }
            }
        }

        @Test(
            "in a directory, what was removed for good is gone a day after `collect` proposed it, without a month passing"
        )
        func purged() async throws {
            try await TestDevices.with(devices: ["A", "B"]) { test in
                let a = test.a
                let clock = try ShiftedClock(of: a, in: test.plain("clock-A"))
                try await a.stop()
                try await clock.start()
                try await a.shell("head -c 400000 /dev/urandom > gone; head -c 300000 /dev/urandom > kept")
                try await test.expectConverged()
                try await a.shell("rm gone")
                try await a.sync()
                #expect(try await collect(a).garbageBytes == 0)
                try await a.ubiquity(["deleted", "--purge", "--yes", a.mount]).text()
                try await a.sync()
                let listed = try await a.ubiquity(["storage", "--list", "--mount", a.mount]).text()
                #expect(listed.contains("nothing needs it") && listed.contains("ubiquity collect"), "\(listed)")
                let proposed = try await collect(a)
                #expect(proposed.garbageBytes >= 400_000 && proposed.removedChunks == 0, "\(proposed)")
                try clock.set(Self.day + 60)
                let removed = try await collect(a)
                #expect(removed.removedBytes >= 400_000 && removed.removedBytes < 420_000, "\(removed)")
                #expect(removed.storedBytes < 330_000, "\(removed)")
                #expect(try await clock.isUsed(), "the daemon has the machine's clock")
                try await test.b.evict("kept")
                #expect(try await test.b.shell("cat kept | wc -c").trimmingCharacters(in: .whitespaces) == "300000")
                let after = try await a.ubiquity(["storage", "--list", "--mount", a.mount]).text()
                #expect(!after.contains("nothing needs it"), "\(after)")
            }
        }

        private func collectsWhatNothingNeeds(
            _ test: TestDevices, setStore: (Int) -> Void = { _ in }
        ) async throws {
            let (a, b, plain) = (test.a, test.b, try test.plain())
            var clocks: [ShiftedClock] = []
            for device in [a, b] {
                let clock = try ShiftedClock(of: device, in: test.plain("clock-\(device.name)"))
                clocks.append(clock)
                try await device.stop()
                try await clock.start()
            }
            func set(_ seconds: Int) throws {
                for clock in clocks { try clock.set(seconds) }
                setStore(seconds)
            }
            for name in ["gone", "back", "kept"] { try await a.shell("head -c 400000 /dev/urandom > \(plain)/\(name)") }
            try await a.shell("cp \(plain)/* .; echo \(plain) > note")
            try await test.expectConverged()
            try await a.shell("rm gone back")
            try await a.sync()
            let recent = try await collect(a)
            #expect(recent.garbageBytes == 0 && recent.proposedSince == nil, "deleted documents can be restored")

            // A start prunes expired history.
            try set(32 * Self.day)
            try await a.stop()
            try await clocks[0].start()
            try await eventually("the deleted documents are garbage") {
                try await collect(a, "--dry-run").garbageBytes >= 800_000
            }
            let proposed = try await collect(a)
            #expect(proposed.removedChunks == 0 && proposed.proposedSince != nil)
            #expect(try await collect(a).removedChunks == 0, "the proposal rests for a day")
            // Between the proposal and the deletion, another device needs some of it again.
            try await b.shell("cp \(plain)/back back")
            try await b.sync()
            try await a.sync()

            try set(33 * Self.day + 60)
            let removed = try await collect(a)
            #expect(removed.removedBytes >= 400_000 && removed.removedBytes < 1_200_000, "\(removed)")
            #expect(removed.garbageBytes < 400_000, "\(removed)")
            #expect(try await clocks[0].isUsed(), "the daemon has the machine's clock")
            for device in [a, b] {
                try await device.evict("back", "kept", "note")
                try await device.shell("cmp back \(plain)/back; cmp kept \(plain)/kept; test $(cat note) = \(plain)")
            }
            // A late writer, too, gets its bytes into the cloud.
            try await b.shell("cp \(plain)/gone gone; rm kept; cp \(plain)/kept kept-too")
            try await test.expectConverged()
            try await a.evict("gone", "kept-too")
            try await a.shell("cmp gone \(plain)/gone; cmp kept-too \(plain)/kept")
            let healthy = try await a.ubiquity(["check", a.mount])
            #expect(healthy.succeeded, "\(healthy)")
        }
    }
}
