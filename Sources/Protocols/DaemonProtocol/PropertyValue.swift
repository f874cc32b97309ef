/// A value of a key-value store: any property-list value.
package indirect enum PropertyValue: Hashable, Sendable {
    case flag(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case data([UInt8])
    /// Seconds since 2001-01-01 UTC, as Foundation counts them.
    case date(Double)
    case array([PropertyValue])
    case dictionary([String: PropertyValue])

    /// The maximum depth of nesting; deeper values are neither written nor read.
    package static let maximumDepth = 64
}
