import Basics
import Glibc
import LocalMetadata
import Logging
import Synchronization

/// Makes announcements with a process started on demand. Only one thread at a time uses it; ``end()`` may come from
/// any.
final class Announcer: Sendable {
    /// A killed process stays while the kernel makes it wait. More of them would not help.
    private static let maximumEnding = 2
    private static let patience: Duration = .seconds(2)

    private struct State {
        var process: AnnouncerProcess?
        var ending: [pid_t] = []
        /// Set if the kernel does not name the announcer by its number, as between PID namespaces.
        var isImpossible = false
    }

    let announcements: Announcements
    private let log: Logger
    private let state = Mutex(State())

    init(_ announcements: Announcements, log: Logger) {
        self.announcements = announcements
        self.log = log
    }

    /// Makes an announcement.
    ///
    /// - Parameter pathOf: Returns the path of an item below the mount's root, nil if it has none.
    /// - Returns: Whether watchers were notified.
    func announce(
        _ announcement: Announcement, mountPoint: String, device: DeviceNumber, pathOf: (NodeID) -> [UInt8]?
    ) -> Bool {
        guard let call = AnnouncerCall(announcement, pathOf: pathOf),
            let process = running(mountPoint: mountPoint, device: device)
        else { return false }
        announcements.begin(announcement, by: process.id)
        defer { announcements.end() }
        do {
            let code = try process.perform(call, patience: Self.patience)
            guard code != 0 else { return true }
            log.debug("watchers were not notified", metadata: ["error": "\(Errno(code))"])
        } catch {
            log.debug("the announcer was ended", metadata: ["error": "\(error)"])
            end()
        }
        return false
    }

    /// Ends the process, if any. Does not wait.
    func end() {
        state.withLock { state in
            guard let process = state.process else { return }
            process.kill()
            state.process = nil
            state.ending.append(process.id)
        }
    }

    /// Removes ended processes.
    func reap() {
        state.withLock { state in
            state.ending.removeAll { id in
                guard AnnouncerProcess.hasEnded(id) else { return false }
                announcements.remove(id)
                return true
            }
        }
    }

    private func running(mountPoint: String, device: DeviceNumber) -> AnnouncerProcess? {
        reap()
        let (present, mayStart) = state.withLock { state in
            (state.process, !state.isImpossible && state.ending.count < Self.maximumEnding)
        }
        if let present { return present }
        guard mayStart else { return nil }
        do {
            let process = try AnnouncerProcess(mountPoint: mountPoint, device: device)
            announcements.add(process.id)
            state.withLock { $0.process = process }
            let greeting = AnnouncerCall(.greet, Announcements.greeting(of: process.id))
            _ = try process.perform(greeting, patience: Self.patience)
            guard announcements.isKnownToKernel(process.id) else {
                log.notice("programs that watch folders are not notified: the kernel does not name the announcer")
                state.withLock { $0.isImpossible = true }
                end()
                return nil
            }
            return process
        } catch {
            log.warning("the announcer could not be started", metadata: ["error": "\(error)"])
            end()
            return nil
        }
    }
}

extension AnnouncerCall {
    /// Returns nil if the item's folder no longer has a path, or its kind is local only.
    init?(_ announcement: Announcement, pathOf: (NodeID) -> [UInt8]?) {
        func path(of place: Announcement.Place) -> [UInt8]? {
            guard place.parent != .root else { return place.name }
            return pathOf(place.parent).map { $0 + [UInt8(ascii: "/")] + place.name }
        }
        guard let here = path(of: announcement.place) else { return nil }
        switch (announcement.change, announcement.kind) {
        case (.created, .file): self.init(.makeFile, here)
        case (.created, .folder): self.init(.makeFolder, here)
        case (.created, .symlink): self.init(.makeLink, here)
        case (.removed, .folder): self.init(.removeFolder, here)
        case (.removed, _): self.init(.removeFile, here)
        case (.modified, _): self.init(.touch, here)
        case (.moved(let former), _):
            guard let there = path(of: former) else { return nil }
            self.init(.rename, there, here)
        case (.created, _): return nil
        }
    }
}
