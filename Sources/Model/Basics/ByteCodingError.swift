/// Why bytes could not be decoded.
package enum ByteCodingError: Error, Equatable, CustomStringConvertible {
    case truncated
    case invalid(String)

    package var description: String {
        switch self {
        case .truncated: "the data ends too early"
        case .invalid(let what): "the data holds \(what)"
        }
    }
}
