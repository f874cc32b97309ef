import CloudModel
import CloudStorage
import Glibc
import Logging
import SystemPackage

/// Watches a cloud's directory on a dedicated thread and posts hints about changes.
///
/// The kernel wakes it: inotify(7) for events in folders, `/proc/self/mountinfo` (proc(5)) for mounts and unmounts.
/// Each time it arms the watches it posts everything once, so that earlier changes are never missed. Hints may be
/// repeated but not lost.
struct DirectoryWatcher {
    let root: FilePath
    let mailbox: EventMailbox
    let stop: StopSignal
    let logger: Logger

    /// The pause between hints in milliseconds if inotify is not available (the user's instances or watches are used up).
    private static let fallbackPause: Int32 = 30_000

    enum Reason {
        case start
        /// Folders appeared or disappeared, events were lost, or time passed.
        case structure
        /// The cloud disappeared, appeared, or was replaced.
        case place
    }

    /// Why watches are armed, and the cloud's place when they were last armed.
    struct Armed {
        let reason: Reason
        let place: WatchSet.Place?

        /// Whether the consumer has to check for the cloud. It has to at the start, because the cloud may have appeared
        /// or disappeared after the consumer subscribed. A cloud may also disappear during rearming for a smaller
        /// reason.
        func mayHaveMoved(to now: WatchSet.Place?) -> Bool {
            switch reason {
            case .start, .place: true
            case .structure: place != now
            }
        }
    }

    /// Watches until it is stopped.
    func run() {
        let mounts = open("/proc/self/mountinfo", O_RDONLY | O_CLOEXEC)
        defer { if mounts >= 0 { close(mounts) } }
        var armed = Armed(reason: .start, place: nil)
        while let next = watch(since: armed, mounts) { armed = next }
    }

    /// Arms new watches, posts hints, and waits until the watches are out of date. Returns nil when stopped.
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

    /// Posts hints for events until the watches need rearming. Returns nil when stopped.
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

    /// Posts hints for events.
    ///
    /// - Returns: Why the watches need rearming; nil if they do not.
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
