import CloudProtocol
import HTTPTypes

/// Selects the part of a content for a request, by its conditions and its range (RFC 9110, 13 and 14). Pure.
struct ContentConditions: Hashable {
    enum Verdict: Hashable {
        case whole
        case part(Range<UInt64>)
        /// 304: the client has it.
        case unchanged
        /// 412: the client requires a different version.
        case failed
        /// 416: the content has no such bytes.
        case unsatisfiable
    }

    let method: HTTPRequest.Method
    let ifMatch: String?
    let ifNoneMatch: String?
    let ifRange: String?
    let range: String?

    init(_ request: HTTPRequest) {
        method = request.method
        ifMatch = request.headerFields[.ifMatch]
        ifNoneMatch = request.headerFields[.ifNoneMatch]
        ifRange = request.headerFields[.ifRange]
        range = request.headerFields[.range]
    }

    /// Returns the part to send. `tag` is strong and quoted.
    func verdict(size: UInt64, tag: String) -> Verdict {
        if let ifMatch, !Self.names(ifMatch, tag, isWeak: false) { return .failed }
        if let ifNoneMatch, Self.names(ifNoneMatch, tag, isWeak: true) { return .unchanged }
        // A range applies to GET only, and only if the content still has the range's tag.
        guard method == .get, let range, ifRange.map({ $0 == tag }) ?? true, let wanted = ByteRange(range) else {
            return .whole
        }
        return wanted.resolved(in: size).map { .part($0) } ?? .unsatisfiable
    }

    private static func names(_ list: String, _ tag: String, isWeak: Bool) -> Bool {
        list.split(separator: ",").contains { entry in
            var entry = entry.drop { $0 == " " }
            while entry.last == " " { entry.removeLast() }
            if isWeak, entry.hasPrefix("W/") { entry = entry.dropFirst(2) }
            return entry == "*" || entry == tag
        }
    }
}
