import Glibc

/// The parts of a call's result that must be the same everywhere.
struct Outcome: Equatable, Sendable, CustomStringConvertible {
    /// `errno`, or 0.
    var code: Int32 = 0
    var value = 0
    var bytes: [UInt8] = []
    var names: Set<[UInt8]> = []

    static func failure(_ code: Int32) -> Outcome { Outcome(code: code) }

    /// Makes a system call with a number as its result.
    static func of(_ call: () -> some BinaryInteger) -> Outcome {
        let result = call()
        return result < 0 ? Outcome(code: errno) : Outcome(value: Int(result))
    }

    /// Makes a system call with success or failure as its only result.
    static func done(_ call: () -> some BinaryInteger) -> Outcome {
        call() < 0 ? Outcome(code: errno) : Outcome()
    }

    var description: String {
        guard code == 0 else { return String(cString: strerror(code)) }
        let list = names.map { String(decoding: $0.prefix(20), as: UTF8.self) }.sorted()
        return "\(value)" + (bytes.isEmpty ? "" : ", \(bytes.count) bytes beginning \(bytes.prefix(8))")
            + (list.isEmpty ? "" : " \(list)")
    }

    static func == (left: Outcome, right: Outcome) -> Bool {
        left.code == right.code && left.value == right.value && left.names == right.names
            && left.bytes.isSame(as: right.bytes)
    }
}

extension [UInt8] {
    /// Compares with `memcmp(3)`, because `==` of unoptimised arrays compares byte by byte through a protocol, and histories compare
    /// megabytes.
    func isSame(as other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                guard let left = left.baseAddress, let right = right.baseAddress else { return true }
                return memcmp(left, right, count) == 0
            }
        }
    }
}
