/// How long a caller waits without any progress.
package enum Patience {
    /// The longest wait of a read, a write or a download for its next byte, and of an `open` for a coordinating
    /// program. All waits for bytes or for a permit use this number, and the manuals state it.
    package static let limit: Duration = .seconds(15)
    /// After such a wait ends, requests that the kernel had queued behind it arrive within this time. They have waited
    /// as long, so they fail with it.
    package static let grace: Duration = .seconds(2)
}
