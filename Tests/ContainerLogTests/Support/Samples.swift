import Basics
import CloudModel
import ContainerLog

/// Shorthand for test values.
extension Digest {
    /// Returns the digest of the content with this number.
    static func sample(_ number: UInt64) -> Digest {
        var bytes = [UInt8](repeating: 0, count: 32)
        for index in 0..<8 { bytes[index] = UInt8(truncatingIfNeeded: number >> (index * 8)) }
        guard let digest = Digest(bytes) else { preconditionFailure("32 bytes are a digest") }
        return digest
    }
}

extension ContentReference {
    static func sample(_ number: UInt64) -> ContentReference {
        ContentReference(digest: .sample(number), size: number, layout: .chunk)
    }
}

extension FileContent {
    static func sample(_ number: UInt64) -> FileContent { .stored(.sample(number)) }
}

extension ItemBody {
    static func sample(_ number: UInt64) -> ItemBody { .file(.sample(number)) }
}

extension ItemID {
    static func sample(_ number: UInt64) -> ItemID { ItemID(high: 1 << 63, low: number) }
}

extension ItemName: ExpressibleByStringLiteral {
    public init(stringLiteral text: String) {
        guard let name = try? ItemName(text) else { preconditionFailure("\(text) is no file name") }
        self = name
    }
}

extension ItemAttributes {
    static func sample(modified: Timestamp = .zero, extended: [String: [UInt8]] = [:]) -> ItemAttributes {
        ItemAttributes(permissions: 0o644, modified: modified, created: .zero, extended: extended)
    }
}

extension Timestamp {
    /// Returns the time this many minutes after the earliest time accepted by a log.
    static func minute(_ number: Int64) -> Timestamp {
        LogClock.floor.adding(.seconds(60 * number))
    }
}
