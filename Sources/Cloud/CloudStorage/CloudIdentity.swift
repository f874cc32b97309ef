/// A cloud's identity, independent of its address.
package struct CloudIdentity: Hashable, Sendable {
    package let text: String
    package init(_ text: String) { self.text = text }
}
