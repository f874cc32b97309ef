import CloudModel
import Synchronization

/// The containers in which this process has stored chunks, or was asked about some, so that those of uploads that were given up are collected
/// soon. Uploads to other processes, and to earlier ones, are found by the collections of all containers.
final class UnfinishedUploads: Sendable {
    private struct Times {
        /// When the first chunk that was not looked at since may have been put, in seconds since 1970 UTC.
        var first: Int64
        var last: Int64
    }

    private let times = Mutex<[Int64: Times]>([:])

    func note(_ container: Int64, at now: Int64) {
        times.withLock { $0[container, default: Times(first: now, last: now)].last = now }
    }

    /// Returns the containers in which chunks may be that no upload has asked about for the time of grace.
    func due(at now: Int64) -> Set<Int64> {
        times.withLock { times in Set(times.filter { $0.value.first < now - UploadGrace.seconds }.keys) }
    }

    /// Notes that a container was collected.
    ///
    /// - Parameter mayContinue: Whether chunks stay because a document is announced: once it is not any more, they go.
    func collected(_ container: Int64, at time: Int64, mayContinue: Bool) {
        times.withLock { times in
            let last = times[container]?.last ?? 0
            guard mayContinue || last >= time - UploadGrace.seconds else { return times[container] = nil }
            // Half of the grace: a container in which devices always upload is not collected at each look.
            times[container] = Times(first: time - UploadGrace.seconds / 2, last: last)
        }
    }

    func forget(_ container: Int64) { times.withLock { $0[container] = nil } }
}
