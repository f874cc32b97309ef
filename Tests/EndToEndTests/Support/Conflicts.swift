import Foundation
import TestSupport
import Testing

/// Helpers that let two devices diverge and converge.
extension EndToEnd.ConflictTests {
    /// Lets both devices change things while the cloud is offline, A first, then syncs A and B.
    static func apart(
        _ cloud: TestCloud, _ a: TestDevice, _ b: TestDevice, _ first: () async throws -> Void,
        _ second: () async throws -> Void
    ) async throws {
        try cloud.goOffline()
        try await first()
        try await second()
        try cloud.goOnline()
        try await a.sync()
        try await b.sync()
    }

    /// Does the same with shell scripts; both devices must end with exactly these files.
    static func apart(before: String, a first: String, b second: String, hold files: [String: String]) async throws {
        try await TestDevices.withTwo { cloud, a, b in
            try await a.shell(before)
            try await settle(a, b)
            try await apart(cloud, a, b, { try await a.shell(first) }, { try await b.shell(second) })
            try await expect([a, b], hold: files)
        }
    }

    /// Creates two versions of doc.txt, A's older and B's newer. Returns the sibling's name once both devices show it.
    static func makeConflict(_ cloud: TestCloud, _ a: TestDevice, _ b: TestDevice) async throws -> String {
        try await a.shell("echo base > doc.txt")
        try await settle(a, b)
        #expect(try await b.contents("doc.txt") == "base")
        try await apart(cloud, a, b, { try await a.shell("echo 'older, by A' > doc.txt") }) {
            try await b.shell("echo 'newer, by B' > doc.txt")
        }
        try await eventually("both devices show the conflict") {
            let names = try await a.list()
            guard names.count == 2 else { return false }
            return try await b.list() == names
        } describe: {
            try await "A: \(a.list()), B: \(b.list())"
        }
        return try #require(try await a.list().first { $0 != "doc.txt" })
    }

    /// Uploads A's changes and waits until both devices have the same documents.
    static func settle(_ a: TestDevice, _ b: TestDevice) async throws {
        try await a.sync()
        try await expectSame(a, b)
    }

    static func expectSame(_ a: TestDevice, _ b: TestDevice) async throws {
        try await a.sync()
        try await b.sync()
        try await eventually("both devices have the same") {
            try await a.differences(a.documents, b.documents).isEmpty
        } describe: {
            try await a.differences(a.documents, b.documents).joined(separator: "\n")
        }
    }

    /// Waits until each device has exactly these files, by path and text.
    static func expect(_ devices: [TestDevice], hold files: [String: String]) async throws {
        for device in devices {
            try await eventually("\(device.name) holds \(files)") {
                try await device.holds(files)
            } describe: {
                try await device.shell("find . -type f -printf '%P: ' -exec cat {} +")
            }
        }
    }

    static func expectNoConflict(_ devices: [TestDevice]) async throws {
        for device in devices {
            try await eventually("\(device.name) knows of no conflict") {
                guard try await device.conflicts().isEmpty else { return false }
                return try await !device.status("doc.txt").hasUnresolvedConflicts
            }
        }
    }
}

extension TestDevice {
    struct Conflict: Decodable {
        struct Side: Decodable {
            let version: String
            let path: String
            let device: String
            let size: Int
        }

        let path: String
        let current: Side
        let versions: [Side]
    }

    /// Returns the conflicts listed by `ubiquity conflicts --json`.
    func conflicts() async throws -> [Conflict] {
        struct Answer: Decodable { let conflicts: [Conflict] }
        let text = try await ubiquity(["conflicts", "--json", documents]).text()
        return try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).conflicts
    }
}
