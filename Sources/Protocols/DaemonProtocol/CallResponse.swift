/// A response of the daemon to the calls that name it.
package protocol CallResponse: Codable, Hashable, Sendable {
    /// The key of the response on the wire, `{"items": {"outcomes": […]}}`. It never changes.
    static var kind: String { get }
}
