/// An item as queries see it. Values are looked up when a predicate asks for them.
package protocol QuerySubject {
    /// Nil where the item has none.
    func value(of attribute: QueryAttribute) -> QueryValue?
}

package enum QueryValue: Hashable, Sendable {
    case text(String)
    case number(Double)
    case flag(Bool)
    /// Nanoseconds since 1970 UTC.
    case date(Int64)
    case list([String])
}
