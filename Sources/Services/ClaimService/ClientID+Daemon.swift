package import Coordination

extension ClientID {
    /// The daemon itself, as the client of the engine's claims and of claims for programs opening a file without
    /// coordinating. Connections are numbered from 1.
    package static let daemon = ClientID(0)
}
