import CloudModel
import CloudProtocol
import HTTPTransport
import S3Double
import Testing

@testable import ServerStorage

@Suite("Links to chunks in a bucket", .eachEngine, .timeLimit(.minutes(5)))
struct BucketLinkTests {
    private let chunk = part(1, Array(repeating: [1, 2, 3, 4, 5, 6, 7], count: 100).flatMap { $0 })

    private let connections = HTTPConnections()

    private func get(_ url: String, range: String? = nil) async throws -> (status: Int, bytes: [UInt8]) {
        var request = HTTPRequest("GET", url)
        if let range { request.add("Range", range) }
        let response = try await connections.send(request, within: .seconds(60))
        return (response.status, try await response.body.collect(upTo: 1 << 20))
    }

    @Test("a link returns the frame, or a part of it, to everyone who has the link, and nothing else")
    func reads() async throws {
        try await withBucket { scene in
            try await scene.put([chunk])
            let place = try await scene.place(of: chunk)
            let link = try #require(
                try await scene.store.chunks.link(to: place, for: DirectDownload.lifetime))
            let whole = try await get(link)
            #expect(whole.status == 200 && whole.bytes == chunk.frame)
            let range = try await get(link, range: "bytes=5-9")
            #expect(range.status == 206 && range.bytes == Array(chunk.frame[5...9]))
            let other = try await get(link.replacing(place.name, with: "\(place.name)0"))
            #expect(other.status == 403)
        }
    }

    @Test("a link expires, and cannot be made to last longer")
    func expires() async throws {
        try await withBucket { scene in
            try await scene.put([chunk])
            let link = try #require(
                try await scene.store.chunks.link(to: scene.place(of: chunk), for: .seconds(60)))
            scene.bucket.double.shiftClock(by: .seconds(120))
            let late = try await get(link)
            let changed = try await get(link.replacing("X-Amz-Expires=60", with: "X-Amz-Expires=600"))
            #expect(late.status == 403 && changed.status == 403)
        }
    }

    @Test("chunks that are files of the server have no link")
    func files() async throws {
        try await withFolder { path in
            try await withStore(at: path) { store in
                let account = try await store.newAccount("anna")
                try await store.chunks.put([chunk], in: .cloudDocs, of: account)
                let place = try #require(
                    try await store.chunks.place(of: chunk.id, in: .cloudDocs, of: account))
                let link = try await store.chunks.link(to: place, for: .seconds(60))
                #expect(link == nil)
            }
        }
    }
}
