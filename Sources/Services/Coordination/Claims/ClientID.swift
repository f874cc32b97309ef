/// The id of a program's connection. Its claims and presenters end with it.
package struct ClientID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package let value: UInt64
    package init(_ value: UInt64) { self.value = value }
    package static func < (left: ClientID, right: ClientID) -> Bool { left.value < right.value }
    package var description: String { "client \(value)" }
}
