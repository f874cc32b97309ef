import Faults
import TestSupport
import Testing

extension FaultSuite {
    /// The cloud's directory is disturbed between two system calls of a transfer, while the transfer is held.
    @Suite("A cloud that changes during a transfer")
    struct CloudDisturbanceTests {
        enum Disturbance: String, CaseIterable, Sendable {
            case vanishes = "goes away"
            case readOnly = "can only be read"
            case damaged = "has other bytes"

            /// Damage of uploaded content is found by `check`; here only downloads are damaged.
            static let ofUploads: [Disturbance] = [.vanishes, .readOnly]
        }

        @Test(
            "an upload during which the cloud changes continues afterwards; what was reported as uploaded is uploaded",
            arguments: Disturbance.ofUploads)
        func upload(_ disturbance: Disturbance) async throws {
            try await disturb(disturbance, .upload) { ["up\($0)", "up", "big"] }
        }

        @Test(
            "a reader of a document whose cloud changes gets its bytes or an error, and its bytes afterwards",
            arguments: Disturbance.allCases)
        func download(_ disturbance: Disturbance) async throws {
            try await disturb(disturbance, .download) { ["down\($0)", "bigdown"] }
        }

        private func disturb(_ disturbance: Disturbance, _ flow: Flow, _ names: (Int) -> [String]) async throws {
            try await FaultBench.with(reads: flow.description == "download") { bench in
                let calls = try await bench.count(flow, bench.cloudCalls)
                var held = 0
                // The last third of the calls cleans up after the transfer.
                for (number, point) in Extent.points(calls * 2 / 3, share: 3).enumerated() {
                    if try await bench.disturb(disturbance, flow, at: point, number + 1, reading: names(number + 1)) {
                        held += 1
                    }
                    // A flow may make fewer calls the second time; for a share, a single held call is enough.
                    if held > 0, !Extent.isFull { break }
                }
                print("\(flow) while the cloud \(disturbance.rawValue): \(calls) calls, \(held) held")
                #expect(held > 0, "no transfer was under way")
                try await bench.expectKeptEverywhere("\(flow) while the cloud \(disturbance.rawValue)")
            }
        }
    }
}

extension FaultBench {
    var cloudCalls: @Sendable (ObservedCall) -> Bool {
        let place = "\(test.cloud.directory)/"
        return { $0.target.hasPrefix(place) }
    }

    /// Holds a flow at a call, changes the cloud, resumes the flow, and undoes the change. Returns whether the flow was held.
    func disturb(
        _ disturbance: FaultSuite.CloudDisturbanceTests.Disturbance, _ flow: Flow, at point: Int, _ number: Int,
        reading names: [String]
    ) async throws -> Bool {
        let when = "\(flow) at \(point) while the cloud \(disturbance.rawValue)"
        try await flow.prepare(self, number)
        supervisor?.begin(FaultPlan(.hold, at: point, concerns: cloudCalls))
        let victim = victim
        async let reading = victim.runner.run(
            "\(victim.binaries)/fault-tool", ["examine"] + names.map(victim.path), in: "/")
        async let syncing = victim.ubiquity(["sync", "--wait", "--timeout", "4", victim.mount])
        // The flow may make fewer calls this time.
        let isHeld = (try? await eventually("it waits", within: .seconds(5)) { supervisor?.struck != nil }) != nil
        let undo = try await change(disturbance)
        supervisor?.end()
        if try await syncing.succeeded { ledger.noteUploaded() }
        try await undo()
        // A read returns the right bytes or an error, and nothing else.
        for line in try await reading.output.split(separator: "\n")
        where !line.hasPrefix("error") && !line.hasPrefix("whole") {
            throw EndToEndError("\(when): \(line)")
        }
        try await eventually("all can be read again: \(when)") {
            try await look(victim).values.allSatisfy { if case .whole = $0 { true } else { false } }
        }
        try await expectKept(when)
        try await expectUploaded(when)
        return isHeld
    }

    /// Changes the cloud and returns a closure that undoes the change.
    private func change(
        _ disturbance: FaultSuite.CloudDisturbanceTests.Disturbance
    ) async throws -> () async throws -> Void {
        let cloud = test.cloud
        let runner = victim.runner
        func run(_ script: String) async throws { try await runner.run("bash", ["-euc", script], in: "/").text() }
        switch disturbance {
        case .vanishes:
            try cloud.goOffline()
            return { try cloud.goOnline() }
        case .readOnly:
            try await run(
                "mount --bind \(cloud.directory) \(cloud.directory); mount -o remount,ro,bind \(cloud.directory)")
            return { try await run("umount -l \(cloud.directory)") }
        case .damaged:
            // All chunks at once, because the download plan determines the next chunk.
            let folder = "cd \(cloud.directory)/containers/CloudDocs"
            let spoil = "printf XXXX | dd of=\"$1\" bs=1 seek=100 conv=notrunc status=none"
            try await run(
                "\(folder); mv chunks whole; cp -a whole chunks; find chunks -type f -size +200c -exec sh -c '\(spoil)' _ {} ';'"
            )
            return { try await run("\(folder); rm -r chunks; mv whole chunks") }
        }
    }
}
