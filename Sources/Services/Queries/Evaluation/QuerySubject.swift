package import CloudModel

/// An item as queries see it. Values are looked up when a predicate needs them.
package protocol QuerySubject {
    /// Returns the value of an attribute; nil if the item has none.
    func value(of attribute: QueryAttribute) -> QueryValue?
}

package enum QueryValue: Hashable, Sendable {
    case text(String)
    case number(Double)
    case flag(Bool)
    /// Nanoseconds since 1970 UTC.
    case date(Int64)
    case list([String])

    package init(_ value: DocumentFact.Value) {
        switch value {
        case .flag(let flag): self = .flag(flag)
        case .percentage(let percent): self = .number(percent)
        case .text(let text): self = .text(text)
        }
    }
}
