import Basics
import CloudModel
import CloudStorage
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Maintenance

@Suite("Collecting garbage in a cloud without a server")
struct CloudCollectorTests {
    private static let large = 400_000

    @Test("What was deleted a month ago is proposed at once and removed a day later; everything else stays")
    func deleted() async throws {
        let devices = CollectingDevices()
        let (one, other) = (try await devices.join(), try await devices.join())
        try await one.save("kept", noise(1, Self.large))
        try await one.save("gone", noise(2, Self.large))
        try await one.remove("gone")
        try await other.sync()
        try devices.passMonth(one, other)
        let before = try await one.listing().reduce(0) { $0 + $1.bytes }

        let proposal = try await one.collect()
        #expect(proposal.hasProposed && proposal.removedChunks == 0)
        #expect(proposal.tally.garbageBytes >= UInt64(Self.large) && proposal.proposedSince == devices.time.now())
        #expect(try await other.collect().hasProposed == false)
        devices.passDay()
        let removal = try await one.collect()
        #expect(removal.removedChunks == proposal.tally.garbageChunks)
        #expect(removal.removedBytes == proposal.tally.garbageBytes)
        #expect(removal.tally.garbageChunks == 0 && removal.proposedSince == nil)
        let after = try await one.listing().reduce(0) { $0 + $1.bytes }
        #expect(before - after >= UInt64(Self.large) - 10_000)
        try await other.sync()
        #expect(try await other.text("kept") == noise(1, Self.large))
    }

    @Test("Versions and deleted items of the last 30 days stay readable")
    func history() async throws {
        let devices = CollectingDevices()
        let one = try await devices.join()
        for seed in UInt64(1)...5 {
            let handle =
                seed == 1
                ? try one.device.create("a").handle
                : try one.device.files.open(
                    one.device.node("a"), canWrite: true, truncate: true)
            try one.device.write(noise(seed, Self.large), to: handle)
            one.device.files.release(handle)
            try await one.sync()
        }
        try await one.save("b", noise(9, Self.large))
        try await one.remove("b")
        try await one.collect()
        devices.passDay()
        try await one.collect()
        let versions = try one.versions(of: "a")
        #expect(versions.count == 4)
        for version in versions {
            let bytes = try await one.bytes(of: version.content)
            #expect(bytes.count == Self.large)
        }
        try devices.passMonth(one)
        #expect(try await one.collect().hasProposed)
        devices.passDay()
        #expect(try await one.collect().removedBytes >= 4 * UInt64(Self.large))
        #expect(try await one.text("a") == noise(5, Self.large))
    }

    @Test("A dry run and a collection by itself below a fifth change nothing")
    func nothing() async throws {
        let devices = CollectingDevices()
        let one = try await devices.join()
        try await one.save("kept", noise(1, Self.large))
        try await one.save("gone", noise(2, 20_000))
        try await one.remove("gone")
        try devices.passMonth(one)
        let before = try await one.listing()
        let dry = try await one.collect(.dryRun)
        #expect(dry.tally.garbageChunks > 0 && !dry.hasProposed)
        #expect(try await one.collect(.automatic).hasProposed == false)
        #expect(try await one.listing() == before)
    }

    @Test("A chunk that came to be needed before the collection began is not removed")
    func neededAgain() async throws {
        let devices = CollectingDevices()
        let (one, other) = (try await devices.join(), try await devices.join())
        try await one.save("gone", noise(2, Self.large))
        try await one.remove("gone")
        try await other.sync()
        try devices.passMonth(one, other)
        try await one.collect()
        try await other.save("again", noise(2, Self.large))
        devices.passDay()
        try await one.collect()
        #expect(try await one.text("again") == noise(2, Self.large))
    }

    @Test("Another device finishes what one began, wherever that one died", arguments: [false, true])
    func death(isLate: Bool) async throws {
        var call = 1
        var didEnd = false
        while !didEnd {
            let devices = CollectingDevices()
            var dying: DyingCloud?
            let one = try await devices.join {
                let cloud = DyingCloud($0, isLate: isLate)
                dying = cloud
                return cloud
            }
            let other = try await devices.join()
            try await one.save("kept", noise(1, 1_000))
            try await one.save("gone", noise(2, 1_000))
            try await one.remove("gone")
            try await other.sync()
            try devices.passMonth(one, other)
            dying?.die(at: call)
            do {
                try await one.collect()
                devices.passDay()
                try await one.collect()
                didEnd = true
            } catch {}
            // The other device may see the proposal only now, and its own proposal after that.
            for _ in 0..<4 {
                devices.passDay()
                try await other.collect()
            }
            let rest = try await other.collect(.dryRun)
            #expect(rest.tally.garbageChunks == 0, "died at call \(call)")
            #expect(try await other.text("kept") == noise(1, 1_000), "died at call \(call)")
            call += 1
        }
        #expect(call > 10)
    }

    @Test("Two devices that collect at once remove garbage and nothing else")
    func together() async throws {
        let devices = CollectingDevices()
        let (one, other) = (try await devices.join(), try await devices.join())
        for seed in UInt64(1)...4 { try await one.save("kept \(seed)", noise(seed, 20_000)) }
        for seed in UInt64(5)...9 { try await one.save("gone \(seed)", noise(seed, 20_000)) }
        for seed in UInt64(5)...9 { try await one.remove("gone \(seed)") }
        try await other.sync()
        try devices.passMonth(one, other)
        for _ in 0..<4 {
            async let first = one.collect()
            async let second = other.collect()
            _ = try await (first, second)
            devices.passDay()
        }
        #expect(try await one.collect(.dryRun).tally.garbageChunks == 0)
        for seed in UInt64(1)...4 { #expect(try await other.text("kept \(seed)") == noise(seed, 20_000)) }
    }

    @Test("A list of chunks that can not be read stops the collection before it proposes anything")
    func unreadable() async throws {
        let devices = CollectingDevices()
        let (one, other) = (try await devices.join(), try await devices.join())
        try await one.save("kept", noise(1, 4 * Self.large))
        try await one.save("gone", noise(2, Self.large))
        try await one.remove("gone")
        try await other.sync()
        try devices.passMonth(one, other)
        let content = try #require(try other.device.row("kept")?.content)
        #expect(content.layout == .manifest)
        try await one.cloud.remove([ChunkKey(content.digest)], in: .cloudDocs)
        let before = try await other.listing()
        await #expect(throws: CollectionError.self) { try await other.collect() }
        #expect(try await other.listing() == before)
    }
}
