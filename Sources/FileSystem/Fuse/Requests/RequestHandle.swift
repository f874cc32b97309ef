import CFuse3
import Glibc

/// libfuse's pointer to a request, and the request's connection. A plain value: ``FuseRequest`` ensures its single use.
///
/// @unchecked: the pointer is libfuse's, and any thread may reply to it.
struct RequestHandle: @unchecked Sendable {
    let request: OpaquePointer
    /// Retained, because libfuse's session must outlive its last request.
    let connection: Unmanaged<FuseConnection>
    let channel: ReplyChannel
    let unique: UInt64
    var watchesInterrupt = false

    /// Replies through `send`, with `patch` applied to the message.
    ///
    /// - Returns: Whether the kernel accepted it.
    func answer(_ patch: ReplyPatch = .none, _ send: (OpaquePointer) -> Int32) -> Bool {
        forgetInterrupt()
        let result = ReplyTarget.with(channel: channel, patch: patch) { send(request) }
        // Checked after the reply: a reply written just before the end is not accepted either, as no release follows it.
        let isSevered = connection._withUnsafeGuaranteedRef { $0.isSevered }
        connection.release()
        return result == 0 && !isSevered
    }

    func forgetInterrupt() {
        guard watchesInterrupt else { return }
        connection._withUnsafeGuaranteedRef { _ = $0.interrupts.remove(unique) }
    }
}
