import DaemonProtocol
import Foundation

extension PropertyValue {
    /// Nil for what no property list can hold, and for an integer beyond 64 bits.
    init?(foundation value: Any) {
        switch value {
        case let text as String: self = .text(text)
        // Also Swift's own numbers and truth values, which Foundation turns into these.
        case let number as NSNumber: self.init(number)
        case let data as Data: self = .data(Array(data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let values as [Any]:
            let converted = values.compactMap(PropertyValue.init(foundation:))
            guard converted.count == values.count else { return nil }
            self = .array(converted)
        case let values as [String: Any]:
            let converted = values.compactMapValues(PropertyValue.init(foundation:))
            guard converted.count == values.count else { return nil }
            self = .dictionary(converted)
        default: return nil
        }
    }

    /// A number stays of the kind that it was made as.
    private init?(_ number: NSNumber) {
        // As the runtime encodes types: c is a truth value, d and f are reals, Q has numbers that Int64 has not.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .flag(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .real(number.doubleValue)
        case UInt8(ascii: "Q"):
            guard let exact = Int64(exactly: number.uint64Value) else { return nil }
            self = .integer(exact)
        default: self = .integer(number.int64Value)
        }
    }

    /// Numbers and truth values as `NSNumber`, as a program of Apple's platforms gets them: `as? Int`, `as? Bool` and the like work.
    var foundation: Any {
        switch self {
        case .flag(let flag): NSNumber(value: flag)
        case .integer(let number): NSNumber(value: number)
        case .real(let number): NSNumber(value: number)
        case .text(let text): text
        case .data(let bytes): Data(bytes)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .array(let values): values.map(\.foundation)
        case .dictionary(let values): values.mapValues(\.foundation)
        }
    }
}
