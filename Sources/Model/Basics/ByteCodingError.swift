/// Why bytes could not be decoded.
package enum ByteCodingError: Error, Equatable, CustomStringConvertible {
    case truncated
    case invalid(String)

    package var description: String {
        switch self {
        case .truncated: "the data is truncated"
        case .invalid(let what): "the data contains \(what)"
        }
    }
}
