package import Coordination

extension ClientID {
    /// The daemon itself: the engine's claims, and those for programs that open a file without coordinating. Connections have numbers from
    /// 1 on.
    package static let daemon = ClientID(0)
}
