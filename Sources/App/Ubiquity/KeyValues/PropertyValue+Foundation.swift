import DaemonProtocol
import Foundation

extension PropertyValue {
    /// Nil for what no property list can hold.
    init?(foundation value: Any) {
        switch value {
        case let text as String: self = .text(text)
        case let flag as Bool: self = .flag(flag)
        case let number as any BinaryInteger:
            guard let exact = Int64(exactly: number) else { return nil }
            self = .integer(exact)
        case let number as Double: self = .real(number)
        case let number as Float: self = .real(Double(number))
        case let data as Data: self = .data(Array(data))
        case let date as Date: self = .date(date.timeIntervalSinceReferenceDate)
        case let number as NSNumber: self = .real(number.doubleValue)
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

    var foundation: Any {
        switch self {
        case .flag(let flag): flag
        case .integer(let number): number
        case .real(let number): number
        case .text(let text): text
        case .data(let bytes): Data(bytes)
        case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds)
        case .array(let values): values.map(\.foundation)
        case .dictionary(let values): values.mapValues(\.foundation)
        }
    }
}
