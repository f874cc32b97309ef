/// Groups claims that belong together: claims of one purpose never wait for one another.
package enum Purpose: Hashable, Sendable {
    /// One coordinator of a client that gave no purpose identifier.
    case coordinator(ClientID, UInt64)
    /// A purpose identifier, across processes.
    case named(String)
    /// All programs that do not know about coordination. Their claims send no messages.
    case plain

    package var isPlain: Bool { self == .plain }
}
