import Coordination

/// In the accessors and callbacks of which claims and presenters this code runs, the innermost last. So an authority can see that a request
/// holds up what it is made in.
struct Enclosing: Sendable {
    let authority: any ClaimAuthority
    let enclosure: Enclosure

    @TaskLocal static var current: [Enclosing] = []

    /// The innermost that means something to an authority.
    static func innermost(of authority: any ClaimAuthority) -> Enclosure? {
        current.last { $0.authority === authority }?.enclosure
    }
}
