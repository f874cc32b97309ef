/// How long is waited for others.
package struct ClaimBounds: Sendable {
    /// Ten seconds: longer than saving a large document takes, shorter than a user waits.
    package var answer: Duration = .seconds(10)
    /// Half a minute: a debugger or a suspended laptop gets its accessor back, others are not held up for ever.
    package var frozenHolder: Duration = .seconds(30)

    package init() {}
}
