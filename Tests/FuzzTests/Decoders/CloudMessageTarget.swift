import CloudModel
import CloudProtocol

extension FuzzTarget {
    /// Bodies, lines and fields from a server, or from any of its clients.
    static let cloudMessages = FuzzTarget(name: "cloud-message") { bytes in
        let binary = try [isStable(page: bytes), isStable(names: bytes), isStable(batch: bytes)].contains(true)
        let isJSON = accepted { try WireJSON.decode(ChangeFeedEvent.self, from: bytes) } != nil
        let text = String(decoding: bytes.prefix(4_096), as: UTF8.self)
        let fields = [
            ByteRange(text) != nil, DeviceToken(authorization: text) != nil, SignInCode(typed: text) != nil,
            AppendKey(text) != nil, RequestSender(text) != nil, LogPosition(wireText: text) != nil,
            accepted { try ServerAddress(text) } != nil,
        ]
        _ = accepted { try WireJSON.decode(CloudFailure.self, from: bytes) }
        _ = accepted { try WireJSON.decode(SignInRequest.self, from: bytes) }
        _ = accepted { try WireJSON.decode(CloudDescription.self, from: bytes) }
        return binary || isJSON || fields.contains(true)
    } seeds: {
        let id = ChunkID(words: (1, 2, 3, 4))
        return try [
            LogPage(first: LogSequence(3), payloads: [[1], [], [2, 3]]).encoded(), ChunkNames([id, id]).encoded(),
            ChunkBatch([ChunkBatch.Part(id: id, frame: [1, 2, 3])]).encoded(),
            WireJSON.encode(ChangeFeedEvent(revision: 9, containers: ["CloudDocs": 4])),
            WireJSON.encode(CloudFailure(.quota, "It is full.")),
        ]
            + ["bytes=1-20", "Bearer ubq_1_00", "ABCD-EFGH-JKMN-PQRS", "https://[::1]:443/a", "0000000000000001 a%20b"]
            .map { Array($0.utf8) }
    }

    private static func isStable(page bytes: [UInt8]) throws(Violation) -> Bool {
        guard let page = accepted({ try LogPage(decoding: bytes) }) else { return false }
        try Violation.unless(
            accepted { try LogPage(decoding: page.encoded()) } == page, "a page that is encoded again differs")
        return true
    }

    private static func isStable(names bytes: [UInt8]) throws(Violation) -> Bool {
        guard let names = accepted({ try ChunkNames(decoding: bytes) }) else { return false }
        try Violation.unless(
            accepted { try ChunkNames(decoding: names.encoded()) } == names, "names that are encoded again differ")
        return true
    }

    private static func isStable(batch bytes: [UInt8]) throws(Violation) -> Bool {
        guard let batch = accepted({ try ChunkBatch(decoding: bytes) }) else { return false }
        try Violation.unless(
            accepted { try ChunkBatch(decoding: batch.encoded()) } == batch, "a batch that is encoded again differs")
        return true
    }
}
