package import Basics
import CFuse3
import Glibc
import Logging

/// One question of the kernel, which must be answered exactly once: answering consumes the value, and a request that
/// goes away unanswered is answered EIO and logged, so a program never hangs on a forgotten one.
///
/// May be replied to on any thread. To reply later, from a closure or a task, see ``deferred()``. The replies return
/// whether the kernel took them: it does not when the mount has ended, and then no forget or release follows either.
package struct FuseRequest<Reply>: ~Copyable, Sendable {
    private var handle: RequestHandle

    init(_ handle: RequestHandle) { self.handle = handle }

    deinit {
        handle.connection._withUnsafeGuaranteedRef { connection in
            connection.logger.error(
                "A request was dropped unanswered; the program got EIO.",
                metadata: ["answer": "\(Reply.self)", "unique": "\(handle.unique)"])
        }
        _ = handle.answer { fuse_reply_err($0, EIO) }
    }

    /// The caller.
    package var context: FuseContext { FuseContext(of: handle.request) }

    /// True once the program's call was interrupted, for instance by Ctrl-C: reply EINTR soon.
    package var isInterrupted: Bool { fuse_req_interrupted(handle.request) != 0 }

    /// Replies with an error number of `errno(3)`.
    @discardableResult
    package consuming func fail(_ code: Int32) -> Bool {
        // The kernel takes 0 as success, and refuses a message with a code of 512 or more: the program would wait on.
        answer { fuse_reply_err($0, (1..<512).contains(code) ? code : EIO) }
    }

    @discardableResult
    package consuming func fail(_ error: Errno) -> Bool { fail(error.code) }

    /// Moves the request into an object that can be captured and answered later.
    package consuming func deferred() -> DeferredRequest<Reply> { DeferredRequest(self) }

    /// Ends the request with what `send` gives to libfuse. The one way out of this type, so the handle is used once.
    consuming func answer(_ patch: ReplyPatch = .none, _ send: (OpaquePointer) -> Int32) -> Bool {
        let handle = handle
        discard self
        return handle.answer(patch, send)
    }

    /// Has `handler` called when the kernel interrupts; true if it has already done so and `handler` is for the caller
    /// to run.
    mutating func watchInterrupt(_ handler: @escaping @Sendable () -> Void) -> Bool {
        handle.watchesInterrupt = true
        let interrupts = handle.connection.takeUnretainedValue().interrupts
        interrupts.insert(handler, for: handle.unique)
        // An interrupt that libfuse saw before the line above found no handler.
        return isInterrupted && interrupts.remove(handle.unique) != nil
    }

    func forgetInterrupt() { handle.forgetInterrupt() }
}
