/// Groups related claims: claims of the same purpose never wait for each other.
package enum Purpose: Hashable, Sendable {
    /// A client's coordinator without a purpose identifier.
    case coordinator(ClientID, UInt64)
    /// A purpose identifier, across processes.
    case named(String)
    /// All programs unaware of coordination. Their claims send no messages.
    case plain

    package var isPlain: Bool { self == .plain }
}
