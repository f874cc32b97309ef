import CFuse3
import Glibc

/// What a request is to libfuse and to the connection it came over. A plain value: ``FuseRequest`` sees to its single use.
///
/// @unchecked: the pointer is libfuse's, which lets any thread answer.
struct RequestHandle: @unchecked Sendable {
    let request: OpaquePointer
    /// Retained: libfuse's session must outlive its last request.
    let connection: Unmanaged<FuseConnection>
    /// The descriptor that the request came from; the kernel finds it again only there.
    let device: Int32
    let unique: UInt64
    var watchesInterrupt = false

    /// Replies through `send`, with `patch` applied to the message.
    ///
    /// - Returns: Whether the kernel took it.
    func answer(_ patch: ReplyPatch = .none, _ send: (OpaquePointer) -> Int32) -> Bool {
        forgetInterrupt()
        let result = ReplyTarget.with(device: device, patch: patch) { send(request) }
        // Looked at after the reply: one that was written before the end is not taken either, as no release follows it.
        let isSevered = connection._withUnsafeGuaranteedRef { $0.isSevered }
        connection.release()
        return result == 0 && !isSevered
    }

    func forgetInterrupt() {
        guard watchesInterrupt else { return }
        connection._withUnsafeGuaranteedRef { _ = $0.interrupts.remove(unique) }
    }
}
