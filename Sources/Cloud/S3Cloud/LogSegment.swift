import CloudStorage

/// A thousand entries of a log in one object: the bytes of their objects one after another. It has nothing of its own, so all devices
/// write the same bytes, and nothing is lost if it is missing or damaged.
struct LogSegment: Equatable, Sendable {
    static let entryCount: UInt64 = 1000
    /// A longer segment is neither written nor read: it would take too much memory at once, and its entries exist one by one.
    static let maximumSize = 32 << 20

    let index: UInt64
    /// The payloads of the entries from ``first`` to ``last``.
    let payloads: [[UInt8]]

    /// The first entry of a log is number 1, so the first segment has one entry less.
    static func first(of index: UInt64) -> UInt64 { max(1, index * entryCount) }
    static func last(of index: UInt64) -> UInt64 { index * entryCount + (entryCount - 1) }
    static func index(of number: UInt64) -> UInt64 { number / entryCount }

    var first: UInt64 { Self.first(of: index) }
    var last: UInt64 { Self.last(of: index) }

    init(index: UInt64, payloads: [[UInt8]]) {
        self.index = index
        self.payloads = payloads
    }

    /// - Returns: Nil if the segment is longer than ``maximumSize``.
    func encoded() throws(StoredFrame.Problem) -> [UInt8]? {
        var bytes: [UInt8] = []
        for payload in payloads {
            guard bytes.count + StoredFrame.headerSize + payload.count <= Self.maximumSize else { return nil }
            bytes += try StoredFrame(.entry, of: payload).header + payload
        }
        return bytes
    }

    /// Parses a segment. Any bytes either decode or throw.
    init(index: UInt64, parsing bytes: [UInt8]) throws(StoredFrame.Problem) {
        var rest = bytes[...]
        var payloads: [[UInt8]] = []
        for _ in Self.first(of: index)...Self.last(of: index) {
            let (frame, payload) = try StoredFrame.next(.entry, in: &rest)
            try frame.verify(payload)
            payloads.append(payload)
        }
        guard rest.isEmpty else { throw .tooLong }
        self.init(index: index, payloads: payloads)
    }
}

extension StoredFrame {
    /// Takes the next frame and its payload from bytes in which frames follow each other.
    static func next(_ kind: Kind, in bytes: inout ArraySlice<UInt8>) throws(Problem) -> (StoredFrame, [UInt8]) {
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
