import Coordination

/// The claims and presenters in whose accessors and callbacks this code runs, innermost last. They let an authority recognise that a
/// request blocks the access in which it is made.
struct Enclosing: Sendable {
    let authority: any ClaimAuthority
    let enclosure: Enclosure

    @TaskLocal static var current: [Enclosing] = []

    /// Returns the innermost enclosure of an authority.
    static func innermost(of authority: any ClaimAuthority) -> Enclosure? {
        current.last { $0.authority === authority }?.enclosure
    }
}
