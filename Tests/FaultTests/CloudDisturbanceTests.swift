import Faults
import Foundation
import TestSupport
import Testing

extension FaultSuite {
    /// The cloud's directory is disturbed between two system calls of a transfer, which waits meanwhile.
    @Suite("A cloud that changes in mid-transfer")
    struct CloudDisturbanceTests {
        enum Disturbance: String, CaseIterable, Sendable {
            case vanishes = "goes away"
            case readOnly = "can only be read"
            case damaged = "has other bytes"

            /// Damage of what was sent already is found by `check`; here it is about what is fetched.
            static let ofUploads: [Disturbance] = [.vanishes, .readOnly]
        }

        @Test(
            "an upload during which the cloud changes goes on after, and status tells the truth",
            arguments: Disturbance.ofUploads)
        func upload(_ disturbance: Disturbance) async throws {
            try await FaultBench.with { bench in
                let calls = try await bench.count(.upload, bench.cloudCalls)
                var held = 0
                for (number, point) in Extent.points(calls * 2 / 3, share: 2).enumerated() {
                    if try await bench.disturb(disturbance, .upload, at: point, number + 1) { held += 1 }
                }
                print("uploads while the cloud \(disturbance.rawValue): \(calls) calls, \(held) held")
                #expect(held > 0, "no transfer was under way")
                try await bench.expectKeptEverywhere("uploads while the cloud \(disturbance.rawValue)")
            }
        }

        @Test(
            "a reader of a document whose cloud changes gets its bytes or an error, and its bytes after",
            arguments: Disturbance.allCases)
        func download(_ disturbance: Disturbance) async throws {
            try await FaultBench.with(reads: true) { bench in
                let calls = try await bench.count(.download, bench.cloudCalls)
                var held = 0
                for (number, point) in Extent.points(calls * 2 / 3, share: 2).enumerated() {
                    if try await bench.disturb(disturbance, .download, at: point, number + 1) { held += 1 }
                }
                print("downloads while the cloud \(disturbance.rawValue): \(calls) calls, \(held) held")
                #expect(held > 0, "no transfer was under way")
                try await bench.expectKeptEverywhere("downloads while the cloud \(disturbance.rawValue)")
            }
        }
    }
}

extension FaultBench {
    var cloudCalls: @Sendable (ObservedCall) -> Bool {
        let place = "\(test.cloud.directory)/"
        return { $0.target.hasPrefix(place) }
    }

    /// Holds a flow at a call, changes the cloud, lets the flow go on, and takes the change back. Answers whether it was held.
    func disturb(
        _ disturbance: FaultSuite.CloudDisturbanceTests.Disturbance, _ flow: Flow, at point: Int, _ number: Int
    ) async throws -> Bool {
        try await flow.prepare(self, number)
        supervisor?.begin(FaultPlan(.hold, at: point, concerns: cloudCalls))
        let victim = victim
        let names = flow.description == "upload" ? ["up\(number)", "up", "big"] : ["down\(number)", "bigdown"]
        async let reading = victim.runner.run(
            "\(victim.binaries)/fault-tool", ["examine"] + names.map(victim.path), in: "/")
        async let syncing = victim.ubiquity(["sync", "--wait", "--timeout", "20", victim.mount])
        // This time it may make fewer calls.
        let isHeld = (try? await eventually("it waits", within: .seconds(20)) { supervisor?.struck != nil }) != nil
        let undo = try await change(disturbance)
        supervisor?.end()
        let read = try await reading
        _ = try await syncing
        // Bytes or an error, and nothing else.
        for line in read.output.split(separator: "\n") where !line.hasPrefix("error") && !line.hasPrefix("whole") {
            throw EndToEndError("\(flow) at \(point) while the cloud \(disturbance.rawValue): \(line)")
        }
        try await undo()
        try await eventually("all can be read again") {
            try await look(victim).values.allSatisfy { if case .whole = $0 { true } else { false } }
        }
        try await expectKept("\(flow) at \(point) while the cloud \(disturbance.rawValue)")
        return isHeld
    }

    /// Answers how to take it back.
    private func change(_ disturbance: FaultSuite.CloudDisturbanceTests.Disturbance) async throws -> () async throws ->
        Void
    {
        let cloud = test.cloud
        let runner = victim.runner
        switch disturbance {
        case .vanishes:
            try cloud.goOffline()
            return { try cloud.goOnline() }
        case .readOnly:
            try await runner.run("mount", ["--bind", cloud.directory, cloud.directory], in: "/").text()
            try await runner.run("mount", ["-o", "remount,ro,bind", cloud.directory], in: "/").text()
            return { try await runner.run("umount", ["-l", cloud.directory], in: "/").text() }
        case .damaged:
            // All chunks at once: which of them is fetched next is the plan's business.
            let script =
                "cd \(cloud.directory)/containers/CloudDocs && mv chunks chunks.whole && cp -a chunks.whole chunks && "
                + "find chunks -type f -size +200c -exec sh -c 'printf XXXX | dd of=\"$1\" bs=1 seek=100 conv=notrunc status=none' _ {} ';'"
            try await runner.run("bash", ["-c", script], in: "/").text()
            return {
                try await runner.run(
                    "bash",
                    ["-c", "cd \(cloud.directory)/containers/CloudDocs && rm -r chunks && mv chunks.whole chunks"],
                    in: "/"
                ).text()
            }
        }
    }
}
