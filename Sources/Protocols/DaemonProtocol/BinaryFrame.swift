import Basics

/// The binary form of the most frequent messages, sent and received thousands of times a second: `claim`, `finish`, and
/// their responses. All else is JSON, and so are these until both sides have agreed in the hello. docs/PROTOCOL.md has
/// the bytes.
package enum BinaryFrame {
    /// The version of the form read and written by this program.
    package static let version: UInt32 = 1

    /// The first byte of a payload. JSON begins with none of these bytes.
    enum Kind: UInt8 { case claim = 1, finish, granted, done }

    /// The first bytes reserved for binary frames of this version and later ones. 9, a tab, is the lowest first byte of
    /// JSON.
    private static let firstBytes: ClosedRange<UInt8> = 0...8

    /// Returns whether a payload with this first byte is a binary frame, well-formed or not.
    package static func begins(with byte: UInt8?) -> Bool { byte.map(firstBytes.contains) ?? false }

    /// Returns the version accepted by a daemon; nil if the client offers none.
    package static func version(offered: UInt32?) -> UInt32? {
        guard let offered, offered > 0 else { return nil }
        return min(offered, version)
    }

    /// Returns the failure for ending a connection after a malformed frame.
    package static func malformed(_ error: any Error) -> DaemonFailure {
        DaemonFailure(.invalidRequest, "a binary frame is malformed: \(error)")
    }
}

extension ByteReader {
    /// Reads the first byte of a binary frame.
    mutating func kind() throws(ByteCodingError) -> BinaryFrame.Kind {
        let byte = try byte()
        guard let kind = BinaryFrame.Kind(rawValue: byte) else { throw .invalid("the unknown kind \(byte)") }
        return kind
    }

    mutating func path() throws(ByteCodingError) -> MountPath {
        let bytes = Array(try counted())
        do throws(MountPath.Problem) { return try MountPath(bytes: bytes) } catch {
            throw .invalid("a path that is refused (\(error))")
        }
    }

    /// Reads an optional flag.
    mutating func flag() throws(ByteCodingError) -> Bool? {
        switch try byte() {
        case 0: nil
        case 1: false
        case 2: true
        case let byte: throw .invalid("the unknown flag \(byte)")
        }
    }
}

extension ByteWriter {
    /// Begins a message.
    init(_ kind: BinaryFrame.Kind, id: UInt64) {
        self.init(reservingCapacity: 128)
        append(byte: kind.rawValue)
        append(varint: id)
    }

    mutating func append(path: MountPath) { append(counted: path.bytes) }

    /// Appends an optional flag.
    mutating func append(flag: Bool?) { append(byte: flag.map { $0 ? 2 : 1 } ?? 0) }
}
