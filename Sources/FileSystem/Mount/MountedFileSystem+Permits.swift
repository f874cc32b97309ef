import Dispatch
import Fuse
import Glibc
import LocalMetadata
import VirtualFileSystem

extension MountedFileSystem {
    /// Opens a file when the coordinating programs permit it: immediately unless any of them holds the file. The wait
    /// is bounded and can be interrupted, and blocks no thread. Only an open may wait: while it creates, removes,
    /// renames or truncates, the kernel holds a lock of the folder or the file, and the holder itself may need it
    /// (Documentation/filesystems/directory-locking).
    func whenPermitted(
        _ node: NodeID, _ flags: FuseOpenFlags, _ request: consuming FuseRequest<Reply.Opened>,
        _ open: @escaping @Sendable (consuming FuseRequest<Reply.Opened>) -> Void
    ) {
        guard let permits, !permits.areFree else { return open(request) }
        let isWriting = flags.isWriting || flags.truncates
        switch permits.requestOpen(of: node, isWriting: isWriting, for: request.context.process) {
        case .now(let end):
            open(request)
            end()
        case .later(let permit): wait(for: permit, request, open)
        }
    }

    private func wait(
        for permit: any PendingPermit, _ request: consuming FuseRequest<Reply.Opened>,
        _ open: @escaping @Sendable (consuming FuseRequest<Reply.Opened>) -> Void
    ) {
        let later = request.deferred()
        later.onInterrupt {
            permit.cancel()
            later.take()?.fail(EINTR)
        }
        permit.whenDecided { outcome in
            // This callback runs under locks acquired by opens.
            Self.permitQueue.async {
                let request = later.take()
                switch outcome {
                case .granted(let end):
                    if let request { open(request) }
                    end()
                case .timedOut: request?.fail(ETIMEDOUT)
                case .cancelled: request?.fail(EINTR)
                }
            }
        }
    }

    /// Runs the permitted opens in turn.
    private static let permitQueue = DispatchQueue(label: "ubiquity.permits")

    /// Continues an open once its program's download permit is known. The lookup may wait for bytes of this mount
    /// needed by the program's process, so the thread takes other requests meanwhile.
    func whenLookedUp(
        _ thread: Int32, _ request: consuming FuseRequest<Reply.Opened>,
        _ open: @escaping @Sendable (DownloadPermit, consuming FuseRequest<Reply.Opened>) -> Void
    ) {
        let later = request.deferred()
        later.onInterrupt { later.take()?.fail(EINTR) }
        Self.lookupQueue.async { [downloads] in
            let permit = downloads?.lookUp(thread) ?? .full
            if let request = later.take() { open(permit, request) }
        }
    }

    /// Looks programs up and runs their opens in turn. A program already looked up opens further files without it.
    private static let lookupQueue = DispatchQueue(label: "ubiquity.callers")
}
