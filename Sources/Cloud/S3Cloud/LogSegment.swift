import CloudModel
import CloudStorage
import Cryptography

/// A thousand entries of a log in one object: the concatenated bytes of their objects. It adds no information, so all
/// devices write the same bytes, and nothing is lost if it is missing or damaged.
struct LogSegment: Equatable, Sendable {
    static let entryCount: UInt64 = 1000
    /// A longer segment is neither written nor read: it would take too much memory, and its entries exist one by one.
    static let maximumSize = 32 << 20

    let index: UInt64
    /// The entries from ``first`` to ``last``.
    let entries: [LoggedEntry]

    /// The first entry of a log is number 1, so the first segment has one entry less.
    static func first(of index: UInt64) -> UInt64 { max(1, index * entryCount) }
    static func last(of index: UInt64) -> UInt64 { index * entryCount + (entryCount - 1) }
    static func index(of number: UInt64) -> UInt64 { number / entryCount }

    var first: UInt64 { Self.first(of: index) }
    var last: UInt64 { Self.last(of: index) }

    init(index: UInt64, entries: [LoggedEntry]) {
        self.index = index
        self.entries = entries
    }

    /// - Returns: Nil if the segment is longer than ``maximumSize``.
    func encoded() throws(StoredFrame.Problem) -> [UInt8]? {
        var bytes: [UInt8] = []
        for entry in entries {
            let frame = try StoredFrame.entry(entry.payload, digest: entry.digest).header
            guard bytes.count + frame.count + entry.payload.count <= Self.maximumSize else { return nil }
            bytes += frame + entry.payload
        }
        return bytes
    }

    /// Parses a segment. Any bytes either decode or throw.
    init(index: UInt64, parsing bytes: [UInt8]) throws(StoredFrame.Problem) {
        var rest = bytes[...]
        var entries: [LoggedEntry] = []
        for _ in Self.first(of: index)...Self.last(of: index) {
            let (frame, payload) = try StoredFrame.next(.entry, in: &rest)
            try frame.verify(payload)
            entries.append(LoggedEntry(digest: frame.digest, payload: payload))
        }
        guard rest.isEmpty else { throw .tooLong }
        self.init(index: index, entries: entries)
    }
}

extension StoredFrame {
    /// Takes the next frame and its payload from concatenated frames.
    static func next(_ kind: Kind, in bytes: inout ArraySlice<UInt8>) throws(Problem) -> (StoredFrame, [UInt8]) {
        let headerSize = headerSize(of: kind)
        let header = Array(bytes.prefix(headerSize))
        let length = try claimedLength(in: header)
        guard length <= UInt64(bytes.count - header.count) else { throw .truncated }
        let end = bytes.startIndex + headerSize + Int(length)
        let frame = try StoredFrame(kind, header: header, fileSize: Int64(headerSize) + Int64(length))
        let payload = Array(bytes[(bytes.startIndex + headerSize)..<end])
        bytes = bytes[end...]
        return (frame, payload)
    }
}

/// A stored log entry.
struct LoggedEntry: Equatable, Sendable {
    /// The digest of the log up to this entry.
    let digest: Digest
    let payload: [UInt8]
}

extension Collection<LoggedEntry> {
    /// Returns how many of the first entries follow a position and each other.
    func countFollowing(_ before: Digest?) -> Int {
        var before = before
        return prefix { entry in
            defer { before = entry.digest }
            return before.map { $0.chained(entry.payload) == entry.digest } ?? true
        }.count
    }
}
