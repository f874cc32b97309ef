import DaemonProtocol
import Foundation

extension PropertyValue {
    /// Returns nil for a value no property list can hold, and for an integer of more than 64 bits.
    init?(foundation value: Any) {
        switch value {
        case let text as String: self = .text(text)
        // Includes Swift's own numbers and Boolean values, which Foundation bridges to `NSNumber`.
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

    /// Keeps the number's original kind.
    private init?(_ number: NSNumber) {
        // Objective-C type encodings: c and B are Boolean values, d and f are reals, and Q has numbers exceeding Int64.
        switch UInt8(bitPattern: number.objCType.pointee) {
        case UInt8(ascii: "c"), UInt8(ascii: "B"): self = .flag(number.boolValue)
        case UInt8(ascii: "d"), UInt8(ascii: "f"): self = .real(number.doubleValue)
        case UInt8(ascii: "Q"):
            guard let exact = Int64(exactly: number.uint64Value) else { return nil }
            self = .integer(exact)
        default: self = .integer(number.int64Value)
        }
    }

    /// The value with numbers and Booleans as `NSNumber`, as programs on Apple's platforms get them: casts such as `as? Int` and `as? Bool`
    /// work.
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
