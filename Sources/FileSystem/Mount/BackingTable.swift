import Basics
import Fuse
import Glibc
import LocalMetadata
import Synchronization
import VirtualFileSystem

/// Files read and written by the kernel directly (passthrough). An inode is either in that mode or in the cached mode,
/// never in both simultaneously (Documentation/filesystems/fuse-passthrough.rst): the first handle decides for all
/// overlapping handles.
final class BackingTable: Sendable {
    private struct Entry {
        var backing: FuseBacking?
        var handles = 0
    }

    private struct State {
        var session: FuseSession?
        var entries: [NodeID: Entry] = [:]
        /// The privilege is missing, or the disk does not support passthrough: do not try again.
        var isRefused = false
    }

    private let files: VirtualFileSystem
    private let state = RankedMutex(.backing, State())

    init(_ files: VirtualFileSystem) { self.files = files }

    func attach(_ session: FuseSession) { state.withLock { $0.session = session } }

    /// Whether the kernel may do all reading and writing itself; cached pages must then not outlive a close.
    var isOffered: Bool { state.withLock { $0.session?.offersPassthrough == true && !$0.isRefused } }

    /// Counts a handle as open.
    ///
    /// - Returns: The backing to open it with; nil for the cached mode.
    func enter(_ handle: OpenHandle) -> FuseBacking? {
        state.withLock { state in
            var entry = state.entries[handle.file.node] ?? Entry()
            if entry.handles == 0 { entry.backing = register(handle, &state) }
            entry.handles += 1
            state.entries[handle.file.node] = entry
            if entry.backing != nil, handle.canWrite { noteWriter(handle) }
            return entry.backing
        }
    }

    private func noteWriter(_ handle: OpenHandle) {
        handle.isWrittenByKernel.store(true, ordering: .relaxed)
        files.noteKernelWriter(1)
    }

    private func register(_ handle: OpenHandle, _ state: inout State) -> FuseBacking? {
        guard let session = state.session, session.offersPassthrough, !state.isRefused, handle.file.isWhole else {
            return nil
        }
        // A direct kernel write failing on a full disk cannot be retried; a write sent as a request can.
        guard files.source.isRoomAmple else { return nil }
        do { return try session.register(backing: handle.file.descriptor) } catch {
            // Without the privilege, or on a stacked disk, all reads and writes arrive as requests.
            if [EPERM, ELOOP, EOPNOTSUPP].contains(error.code) { state.isRefused = true }
            return nil
        }
    }

    /// Counts a handle as closed; the last close releases the registration.
    func leave(_ handle: OpenHandle) {
        if handle.isWrittenByKernel.load(ordering: .relaxed) { files.noteKernelWriter(-1) }
        let node = handle.file.node
        let (session, backing) = state.withLock { state -> (FuseSession?, FuseBacking?) in
            guard var entry = state.entries[node] else { return (nil, nil) }
            entry.handles -= 1
            state.entries[node] = entry.handles == 0 ? nil : entry
            return entry.handles == 0 ? (state.session, entry.backing) : (nil, nil)
        }
        guard let session, let backing else { return }
        // Fails only after the end of the session and so of the registration.
        try? session.unregister(backing)
    }
}
