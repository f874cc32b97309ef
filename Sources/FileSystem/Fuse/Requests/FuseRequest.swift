package import Basics
import CFuse3
import Glibc
import Logging

/// A kernel request, to be replied to exactly once: a reply consumes the value, and a request dropped without a reply
/// fails with EIO and is logged, so a forgotten request never hangs a program.
///
/// Any thread may reply. To reply later, from a closure or a task, see ``deferred()``. The replies return whether the
/// kernel accepted them: it does not when the mount has ended, and then no forget or release follows either.
package struct FuseRequest<Reply>: ~Copyable, Sendable {
    private var handle: RequestHandle

    init(_ handle: RequestHandle) { self.handle = handle }

    deinit {
        handle.connection._withUnsafeGuaranteedRef { connection in
            connection.logger.error(
                "A request was dropped without a reply; the program got EIO.",
                metadata: ["answer": "\(Reply.self)", "unique": "\(handle.unique)"])
        }
        _ = handle.answer { fuse_reply_err($0, EIO) }
    }

    /// How the request arrived, and the reply leaves.
    var channel: ReplyChannel { handle.channel }

    /// The caller.
    package var context: FuseContext { FuseContext(of: handle.request) }

    /// True once the program's call is interrupted, for instance by Ctrl-C: reply EINTR soon.
    package var isInterrupted: Bool { fuse_req_interrupted(handle.request) != 0 }

    /// Replies with an error number of `errno(3)`.
    @discardableResult
    package consuming func fail(_ code: Int32) -> Bool {
        // The kernel takes 0 as success, and refuses a message with a code of 512 or more, leaving the program waiting.
        answer { fuse_reply_err($0, (1..<512).contains(code) ? code : EIO) }
    }

    @discardableResult
    package consuming func fail(_ error: Errno) -> Bool { fail(error.code) }

    /// Moves the request into an object for closures to capture and reply through later.
    package consuming func deferred() -> DeferredRequest<Reply> { DeferredRequest(self) }

    /// Ends the request with the reply passed by `send` to libfuse. This is the only way out of this type, so the
    /// handle is used once.
    consuming func answer(_ patch: ReplyPatch = .none, _ send: (OpaquePointer) -> Int32) -> Bool {
        let handle = handle
        discard self
        return handle.answer(patch, send)
    }

    /// Registers `handler` to be called when the kernel interrupts the request; returns true if the kernel has already done so and the
    /// caller has to run `handler`.
    mutating func watchInterrupt(_ handler: @escaping @Sendable () -> Void) -> Bool {
        handle.watchesInterrupt = true
        let interrupts = handle.connection.takeUnretainedValue().interrupts
        interrupts.insert(handler, for: handle.unique)
        // An interrupt received by libfuse before the line above found no handler.
        return isInterrupted && interrupts.remove(handle.unique) != nil
    }

    func forgetInterrupt() { handle.forgetInterrupt() }
}
