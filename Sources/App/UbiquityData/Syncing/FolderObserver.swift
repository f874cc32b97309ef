import Basics
import Dispatch
import Glibc
import Synchronization

/// Calls a function when something changes in the observed folders.
protocol FolderObserving: Sendable {
    /// Replaces the observed folders; missing folders are left out.
    func observe(_ folders: [String])
    /// Ends all calls.
    func stop()
}

/// Observes folders with inotify(7). A mount of Ubiquity notifies of remote changes, too.
///
/// If it cannot be created (the user's instances or watches are used up), it observes nothing: its users also look from
/// time to time.
final class FolderObserver: FolderObserving {
    private struct State {
        var watches: [String: Int32] = [:]
        var source: (any DispatchSourceRead)?
    }

    private static let mask = UInt32(
        IN_CREATE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE | IN_DELETE_SELF | IN_MODIFY | IN_CLOSE_WRITE | IN_ATTRIB
            | IN_ONLYDIR)

    private let file: Int32
    private let state = Mutex(State())

    init(onChange: @escaping @Sendable () -> Void) {
        file = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard file >= 0 else { return }
        let file = file
        state.withLock { state in
            let queue = DispatchQueue(label: "ubiquity.folders")
            let source = DispatchSource.makeReadSource(fileDescriptor: file, queue: queue)
            source.setEventHandler {
                // The changed file's name does not matter. Events exceeding the buffer wake the source again.
                var buffer = [UInt8](repeating: 0, count: 64 << 10)
                _ = read(file, &buffer, buffer.count)
                onChange()
            }
            source.setCancelHandler { close(file) }
            source.activate()
            state.source = source
        }
    }

    deinit { stop() }

    func observe(_ folders: [String]) {
        state.withLock { state in
            guard state.source != nil else { return }
            let wanted = Set(folders)
            for (folder, watch) in state.watches where !wanted.contains(folder) {
                inotify_rm_watch(file, watch)
                state.watches[folder] = nil
            }
            for folder in wanted {
                // Even for a known folder, because it may have been removed and created again.
                let watch = inotify_add_watch(file, folder, Self.mask)
                state.watches[folder] = watch >= 0 ? watch : nil
            }
        }
    }

    func stop() {
        state.withLock { state in
            state.source?.cancel()
            state.source = nil
        }
    }
}
