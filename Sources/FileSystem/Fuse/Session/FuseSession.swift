package import Basics
import CFuse3
import Glibc
package import Logging

/// A mounted file system and its connection to the kernel.
///
/// The session serves until the mount is gone: after ``unmount(lazily:)``, after `umount` or `fusermount3 -u` from outside, or after
/// ``stop()``. It keeps itself alive meanwhile; releasing this object changes nothing.
package final class FuseSession: Sendable {
    let connection: FuseConnection
    private let mount: FuseMount
    private let close: @Sendable () -> Void
    /// Aborts the connection; nil if the kernel offers no control of it.
    package let control: FuseControl?

    private init(_ connection: FuseConnection, _ mount: FuseMount, close: @escaping @Sendable () -> Void) {
        self.connection = connection
        self.mount = mount
        self.close = close
        do {
            control = try mount.connection.map { number throws(Errno) in try FuseControl(connection: number) }
        } catch {
            control = nil
            connection.logger.notice(
                "The connection to the kernel cannot be aborted: if this process is killed, programs may wait for it.",
                metadata: ["error": "\(error)"])
        }
        if let control { CrashGuard.abortsConnection(control) }
    }

    /// The connection's number in the kernel's control file system.
    package var connectionNumber: UInt32? { mount.connection }

    /// Mounts `fileSystem` at the folder `path` and returns once the kernel's first request is replied to.
    ///
    /// Mounts through /dev/fuse as root and through `fusermount3` as an ordinary user. Fails if a dead process left its
    /// mount behind: see ``FuseMountPoint/clearDeadMount(at:)``.
    package static func mount(
        _ fileSystem: any FuseFileSystem, at path: String, options: FuseOptions = FuseOptions(), logger: Logger
    ) async throws(FuseError) -> FuseSession {
        let session = try await OwnThread.run("fuse-mount") { () throws(FuseError) in
            let (mount, device) = try FuseMount.make(at: path, options: options)
            do throws(FuseError) {
                let connection = try FuseConnection(
                    device: device, fileSystem: fileSystem, options: options, logger: logger)
                let close = try FuseReaders.start(connection)
                return FuseSession(connection, mount, close: close)
            } catch {
                try mount.unmount(lazily: true)
                throw error
            }
        }
        await session.connection.lifecycle.waitForStart()
        if case .failed(let error) = session.connection.lifecycle.ending {
            try await session.unmount(lazily: true)
            throw FuseError(.library, "The kernel and libfuse could not agree on a session for \(path): \(error).")
        }
        return session
    }

    /// Invalidates the kernel's caches after changes not made by the kernel itself.
    package var notifier: FuseNotifier { FuseNotifier(connection) }

    /// The requests sent by the kernel so far.
    package var counts: FuseRequestCounts { connection.counts }

    /// Why the session ended; nil while it serves.
    package var ending: FuseEnding? { connection.lifecycle.ending }

    /// The agreement with the kernel at the start.
    package var agreement: FuseAgreement? { connection.lifecycle.agreement }

    /// How kernel requests arrive; nil until the start.
    package var transport: FuseTransport? { connection.rings?.transport ?? agreement?.transport }

    /// Removes the mount and so ends the session. Fails with ``FuseError/Code/busy`` while programs use the mount; if
    /// `lazily`, the mount is hidden immediately and the session continues until the last of them is done. Does nothing
    /// if the mount is already gone.
    package func unmount(lazily: Bool = false) async throws(FuseError) {
        let mount = mount
        try await OwnThread.run("fuse-unmount") { () throws(FuseError) in try mount.unmount(lazily: lazily) }
    }

    /// Removes the mount and ends the session even if programs have files open: they get ENOTCONN. Unfinished requests
    /// may be replied to later, without effect. Returns when no handler is running; throws if the mount could not be
    /// removed: it is then dead and can be cleared.
    package func stop() async throws(FuseError) {
        connection.lifecycle.requestStop()
        let unmounting: Result<Void, FuseError>
        do throws(FuseError) { unmounting = .success(try await unmount(lazily: true)) } catch {
            unmounting = .failure(error)
        }
        close()
        _ = await waitUntilEnded()
        try unmounting.get()
    }

    /// Returns when the last handler has returned and the kernel sends no more.
    package func waitUntilEnded() async -> FuseEnding { await connection.lifecycle.waitForEnd() }
}
