import CloudModel
import CloudStorage
import Glibc
import Logging
import SystemPackage

/// Watches a cloud's directory on a thread of its own and posts what may be new.
///
/// The kernel wakes it: inotify(7) for what happens in folders, `/proc/self/mountinfo` (proc(5)) for disks that come and go.
/// After each arming it posts everything once, so what happened before is never missed; hints may be repeated, not lost.
struct DirectoryWatcher {
    let root: FilePath
    let mailbox: EventMailbox
    let stop: StopSignal
    let logger: Logger

    /// Where inotify can not be had (the user's instances or watches are used up), hints come at this pace: milliseconds.
    private static let fallbackPause: Int32 = 30_000

    enum Reason {
        case start
        /// Folders came or went, events were lost, or time passed.
        case structure
        /// The cloud went, came, or was replaced.
        case place
    }

    /// Why watches are armed, and where the cloud was when that was done last.
    struct Armed {
        let reason: Reason
        let place: WatchSet.Place?

        /// Whether the consumer has to look if the cloud is there. At the start it has to: the cloud may have come or gone after
        /// the consumer asked for events. A cloud may also leave while the watches are set up again because of something smaller.
        func mayHaveMoved(to now: WatchSet.Place?) -> Bool {
            switch reason {
            case .start, .place: true
            case .structure: place != now
            }
        }
    }

    /// Returns when stopped.
    func run() {
        let mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        defer { if mounts >= 0 { close(mounts) } }
        var armed = Armed(reason: .start, place: nil)
        while let next = watch(since: armed, mounts) { armed = next }
    }

    /// Arms fresh watches, posts, and waits until they do not fit any more; nil when stopped.
    private func watch(since last: Armed, _ mounts: Int32) -> Armed? {
        var watches = WatchSet(root: root)
        watches.arm()
        if let failure = watches.failure {
            logger.warning("changes of the cloud are noticed late", metadata: ["error": "\(failure)"])
        }
        if last.mayHaveMoved(to: watches.place) { mailbox.post(.reachabilityChanged) }
        if watches.place != nil { mailbox.post(.containersChanged) }
        for container in watches.containers { mailbox.post(.containerChanged(container)) }

        let place = watches.place
        return waitUntilUnfit(watches, mounts).map { Armed(reason: $0, place: place) }
    }

    /// Posts what events mean until the watches have to be set up again; nil when stopped.
    private func waitUntilUnfit(_ watches: borrowing WatchSet, _ mounts: Int32) -> Reason? {
        while true {
            var polled = [stop.reading, watches.inotify.raw].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            polled.append(pollfd(fd: mounts, events: Int16(POLLPRI), revents: 0))
            let count = poll(&polled, nfds_t(polled.count), watches.failure == nil ? -1 : Self.fallbackPause)
            if polled[0].revents != 0 { return nil }
            if count == 0 { return watches.place == WatchSet.place(of: root) ? .structure : .place }
            if polled[2].revents != 0, watches.place != WatchSet.place(of: root) { return .place }
            if let reason = take(watches.inotify.read(), watches.inotify.roles) { return reason }
        }
    }

    /// Posts what events mean.
    ///
    /// - Returns: Why the watches have to be set up again; nil when they have not.
    private func take(_ events: [Inotify.Event], _ roles: [Int32: WatchRole]) -> Reason? {
        var reason: Reason?
        for event in events {
            if event.isOverflow { reason = reason ?? .structure }
            switch roles[event.watch]?.meaning(of: event.mask, name: event.name) {
            case .entry(let container): mailbox.post(.containerChanged(container))
            case .structure: reason = reason ?? .structure
            case .place: reason = .place
            case .nothing, nil: break
            }
        }
        return reason
    }
}
