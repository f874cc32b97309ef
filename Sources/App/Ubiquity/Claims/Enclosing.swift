import Coordination

/// The claims and presenters whose accessors and callbacks are running this code, innermost last. They let an authority
/// recognise a request blocking its own enclosing access.
struct Enclosing: Sendable {
    let authority: any ClaimAuthority
    let enclosure: Enclosure

    @TaskLocal static var current: [Enclosing] = []

    /// Returns an authority's innermost enclosure.
    static func innermost(of authority: any ClaimAuthority) -> Enclosure? {
        current.last { $0.authority === authority }?.enclosure
    }
}
