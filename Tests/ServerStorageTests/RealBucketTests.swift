import Basics
import CloudModel
import CloudProtocol
import Foundation
import HTTPTransport
import S3Client
import S3Double
import Testing

@testable import ServerStorage

/// Chunks on a real store (``RealBucket``).
@Suite("A real bucket keeps a server's chunks", .serialized, .enabled(if: RealBucket.isMeant))
struct RealBucketTests {
    private func withServers(
        _ body: (ServerPlace, SettableTime) async throws -> Void
    ) async throws {
        let location = try RealBucket.place(named: "server")
        try await withFolder { path in
            try await body(ServerPlace(directory: path, chunks: location), SettableTime())
        }
    }

    @Test("chunks are put, read, replaced, collected and removed with their account", .timeLimit(.minutes(5)))
    func life() async throws {
        try await withServers { place, time in
            let store = try ServerStore(place, serving: true, log: quiet, time: time)
            let account = try await store.newAccount("anna")
            let parts = (UInt64(0)..<300).map { part($0, [UInt8](repeating: UInt8($0 % 251), count: 1_000 + Int($0))) }
            try await store.chunks.put(parts, in: .cloudDocs, of: account)
            let isThere = try await store.holds(parts, of: account)
            #expect(isThere)
            let first = try #require(try await store.chunks.place(of: parts[7].id, in: .cloudDocs, of: account))
            let range = try await store.chunks.read(first, 10..<20)
            #expect(range == Array(parts[7].frame[10..<20]))
            try await store.chunks.distrust([parts[7].id], in: .cloudDocs, of: account)
            try await store.chunks.put([parts[7]], in: .cloudDocs, of: account)
            let second = try #require(try await store.chunks.place(of: parts[7].id, in: .cloudDocs, of: account))
            #expect(second != first)
            try await store.checkHealth()

            // The replaced object is swept, then everything is collected, since no entry refers to it.
            #expect(try await store.collectNow().strayFiles == 0)
            #expect(try await store.collectNow().strayFiles == 1)
            let isFirstThere = try await store.chunks.objects.exists(first)
            #expect(!isFirstThere)
            let isStillThere = try await store.holds(parts, of: account)
            #expect(isStillThere)
            time.advance(by: .seconds(100 * 86_400))
            #expect(try await store.collectNow().chunks == 300)
            let isGone = try await !store.chunks.objects.exists(second)
            #expect(isGone)

            try await store.chunks.put(parts, in: .cloudDocs, of: account)
            try await store.removeAccount("anna")
            var names: [String] = []
            try await store.chunks.objects.forEachName(in: [], settledBefore: nil) {
                names += $0
                return true
            }
            #expect(names == [])
            try await store.close()
        }
    }

    @Test("a link to a chunk is accepted by the store, and a changed one is refused")
    func link() async throws {
        try await withServers { place, _ in
            // The store compares the time of a signature with its own clock.
            let store = try ServerStore(place, serving: true, log: quiet)
            let account = try await store.newAccount("anna")
            let chunk = part(1, [UInt8](repeating: 7, count: 100_000))
            try await store.chunks.put([chunk], in: .cloudDocs, of: account)
            let found = try #require(try await store.chunks.place(of: chunk.id, in: .cloudDocs, of: account))
            let link = try #require(try await store.chunks.link(to: found, for: DirectDownload.lifetime))
            let connections = HTTPConnections()
            for (url, status) in [(link, 200), (link.replacing("X-Amz-Expires=300", with: "X-Amz-Expires=301"), 403)] {
                let response = try await connections.send(HTTPRequest("GET", url), within: .seconds(60))
                let body = try await response.body.collect(upTo: 1 << 20)
                #expect(response.status == status)
                #expect((body == chunk.frame) == (status == 200))
            }
            try await store.removeAccount("anna")
            try await store.close()
        }
    }

    @Test("two processes put and collect at once, and no row loses its object", .timeLimit(.minutes(5)))
    func processes() async throws {
        try await withServers { place, time in
            let stores = try [true, false].map { try ServerStore(place, serving: $0, log: quiet, time: time) }
            let account = try await stores[0].newAccount("anna")
            let parts = (UInt64(0)..<40).map { part($0, [UInt8](repeating: UInt8($0), count: 100)) }
            for _ in 0..<5 {
                time.advance(by: .seconds(30 * 86_400))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for store in stores {
                        group.addTask { _ = try await store.collectNow() }
                        for part in parts {
                            group.addTask { try await store.chunks.put([part], in: .cloudDocs, of: account) }
                        }
                    }
                    try await group.waitForAll()
                }
                let isThere = try await stores[0].holds(parts, of: account)
                #expect(isThere)
            }
            try await stores[0].removeAccount("anna")
            for store in stores { try await store.close() }
        }
    }
}
