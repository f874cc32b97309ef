import CloudModel
import CloudProtocol
import CloudStorage
import Cryptography
import Foundation
import HTTPCloud
import ServerStorage
import ServerSupport
import TestSupport
import Testing

@Suite("Commands of a server's owner", .timeLimit(.minutes(10)))
struct OperationTests {
    private func curl(_ arguments: [String]) async throws -> String {
        try await ProgramRunner(environment: [:]) {}.run("curl", ["-sS"] + arguments, in: "/", limit: .seconds(30))
            .text()
    }

    @Test("metrics require the token in the data directory, and contain only numbers and patterns")
    func metrics() async throws {
        let folder = "\(NSTemporaryDirectory())/ubiquity-metrics-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await withServer(folder: folder) { server in
            let device = try await server.device(of: "secretive")
            let notes = try #require(ContainerName("hush"))
            try await device.createContainer(notes)
            try await device.putChunk(ChunkID(words: (1, 2, 3, 4)), frame: [1, 2, 3], in: notes)
            let url = "\(server.address)/metrics"
            let closed = try await curl([url, "-H", "Authorization: Bearer \(server.token(of: "secretive"))"])
            #expect(closed.contains("\"unauthorized\""))
            let open = try await curl(["-o", "/dev/null", "-w", "%{http_code}", url])
            #expect(open == "401")
            let token = try String(contentsOfFile: "\(folder)/metrics-token", encoding: .utf8)
            let mode = try FileManager.default.attributesOfItem(atPath: "\(folder)/metrics-token")[.posixPermissions]
            #expect(mode as? Int == 0o600)
            let text = try await curl(
                [url, "-H", "Authorization: Bearer \(token.trimmingCharacters(in: .whitespacesAndNewlines))"])
            #expect(text.contains("ubiquity_account_used_bytes{account=\"1\"} \(StorageCost.chunk(3))\n"))
            #expect(text.contains("ubiquity_account_containers{account=\"1\"} 2\n"))
            #expect(text.contains("route=\"/v1/containers/{container}/chunks/{chunk}\"") || text.contains("/chunks/"))
            #expect(!text.contains("secretive") && !text.contains("hush"))
            expectFormat(text)
        }
    }

    /// Expects that each line is a comment or `name{labels} number`, and that each family is described once, at its
    /// start.
    private func expectFormat(_ text: String) {
        var families: Set<String> = []
        for line in text.split(separator: "\n") {
            if let match = line.wholeMatch(of: /# TYPE (\S+) (counter|gauge|histogram)/) {
                #expect(families.insert(String(match.1)).inserted, "\(line)")
            } else if !line.hasPrefix("# HELP ") {
                let match = line.wholeMatch(of: /([a-z_]+)(\{[a-z]+="[^"]*"(,[a-z]+="[^"]*")*\})? [0-9.e+-]+/)
                let name = match.map { String($0.1) } ?? ""
                let family = ["_bucket", "_sum", "_count"].reduce(name) {
                    $0.hasSuffix($1) ? String($0.dropLast($1.count)) : $0
                }
                #expect(families.contains(name) || families.contains(family), "\(line)")
            }
        }
    }

    @Test(
        "a device that saw no later state than a restored server continues; one that did has to be reset, whatever happens later"
    )
    func restore() async throws {
        let folders = (0..<3).map { _ in "\(NSTemporaryDirectory())/ubiquity-restore-\(UUID().uuidString)" }
        defer { for folder in folders { try? FileManager.default.removeItem(atPath: folder) } }
        let known = try await withServer(folder: folders[0]) { server in
            let token = try await server.token()
            let device = server.backend(token)
            let identity = try await device.connect(create: true)
            try await device.createContainer(.cloudDocs)
            _ = try await device.append([1], to: .cloudDocs)
            _ = try await server.store.backUp(to: folders[1])
            _ = try await device.append([2, 2], to: .cloudDocs)
            return (token: token, identity: identity.text)
        }
        _ = try await ServerRestore(from: folders[1], to: folders[2]).run()
        try await withServer(folder: folders[2]) { server in
            let device = server.backend(known.token)
            await expectCloudError(.unauthorized) { _ = try await device.connect(create: false) }
            #expect(try await server.store.devices.confirm(device: nil) == 1)
            let found = try await device.connect(create: false)
            #expect(found.text == known.identity)
            let left = LogPosition.start.following([1])
            #expect(try await device.entries(in: .cloudDocs, after: left, limit: 9).isEmpty)
            // Grows the log beyond a device's last seen entry.
            for number in UInt8(2)..<6 {
                let seen = left.following([2, 2])
                await expectCloudError(.diverged) {
                    _ = try await device.entries(in: .cloudDocs, after: seen, limit: 9)
                }
                await expectCloudError(.diverged) { _ = try await device.append([9], to: .cloudDocs, after: seen) }
                #expect(try await device.append([number], to: .cloudDocs) == LogSequence(UInt64(number)))
            }
            #expect(try await device.entries(in: .cloudDocs, after: left, limit: 9).count == 4)
        }
    }
}
