/// The announcer's call, relative to the mount's root: a letter, and NUL-terminated paths without leading slashes.
struct AnnouncerCall: Equatable {
    enum Operation: UInt8 {
        case greet = 0x67
        case makeFile = 0x66
        case makeFolder = 0x64
        case makeLink = 0x6C
        case removeFile = 0x75
        case removeFolder = 0x72
        case rename = 0x6D
        case touch = 0x74

        var pathCount: Int { self == .rename ? 2 : 1 }
    }

    /// The longest message. A kernel path has 4,096 bytes.
    static let maximumLength = 16 << 10

    let operation: Operation
    let paths: [[UInt8]]

    init(_ operation: Operation, _ paths: [UInt8]...) {
        self.operation = operation
        self.paths = paths
    }

    /// Returns nil for invalid bytes.
    init?(decoding bytes: [UInt8]) {
        guard bytes.count <= Self.maximumLength, let first = bytes.first,
            let operation = Operation(rawValue: first), bytes.last == 0
        else { return nil }
        let paths = bytes.dropFirst().dropLast().split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
        guard paths.count == operation.pathCount, paths.allSatisfy(Self.isInside) else { return nil }
        self.operation = operation
        self.paths = paths
    }

    /// Returns nil if it is too long for a single message.
    var encoded: [UInt8]? {
        let bytes = paths.reduce(into: [operation.rawValue]) { $0 += $1 + [0] }
        return bytes.count <= Self.maximumLength ? bytes : nil
    }

    private static func isInside(_ path: [UInt8]) -> Bool {
        path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && $0 != [UInt8(ascii: ".")] && $0 != Array("..".utf8)[...]
        }
    }
}
