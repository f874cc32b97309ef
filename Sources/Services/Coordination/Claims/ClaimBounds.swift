/// How long a claim waits for other clients.
package struct ClaimBounds: Sendable {
    /// How long to wait for a presenter's answer, ten seconds: longer than saving a large document takes, shorter than a user waits.
    package var answer: Duration = .seconds(10)
    /// How long a frozen client keeps its claim, half a minute: a debugger or a suspended laptop gets its accessor
    /// back, and other clients are not held up forever.
    package var frozenHolder: Duration = .seconds(30)

    package init() {}
}
