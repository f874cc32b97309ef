/// How long a caller waits without any progress.
package enum Patience {
    /// The time that a read, a write or a download waits for its next byte, and an `open` for a program that coordinates. All waits for
    /// bytes or for a permit use this one number, and the manuals state it.
    package static let limit: Duration = .seconds(15)
    /// The time after the end of such a wait within which requests arrive that the kernel had queued behind it. They have waited as long,
    /// so they fail with it.
    package static let grace: Duration = .seconds(2)
}
