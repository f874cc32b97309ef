/// The identity of a cloud, whatever address leads to it.
package struct CloudIdentity: Hashable, Sendable {
    package let text: String
    package init(_ text: String) { self.text = text }
}
