/// How long anything waits for what does not come.
package enum Patience {
    /// A read, a write or a download waits this long for its next byte, and an `open` for a program that coordinates. Everything that
    /// waits for bytes or for a permit uses this one number, and the manuals name it.
    package static let limit: Duration = .seconds(15)
    /// Requests for bytes that were in a queue of the kernel behind one whose patience ended arrive within this time after it. They have waited
    /// as long as it has, so they end with it.
    package static let grace: Duration = .seconds(2)
}
