import Coordination

/// An item of a request, named by its absolute path without symbolic links above it.
struct PathAccess: Hashable, Sendable {
    let path: String
    let mode: Access.Mode

    var isWriting: Bool { !Access(.item(ItemNumber(0)), mode).isReading }
}
