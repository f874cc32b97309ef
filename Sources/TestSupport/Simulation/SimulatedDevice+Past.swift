import Basics
import CloudModel
import CloudStorage
import ContainerLog
import DeviceSupport
import Dispatch
import Foundation
import LocalMetadata
import Maintenance
import Synchronization
import TestSupport
import Transfers

/// Returning states.
extension SimulatedDevice {
    /// Puts back a state of this or a different device.
    func putBack(_ copy: StateCopy) throws {
        try crash()
        try disk.replace(by: copy)
        try start()
    }

    /// Rebuilds the state from the cloud and the files on the disk, as `ubiquity reset` does.
    func reset() throws {
        try crash()
        if cloud.bug == .emptyReset { try removeTree("\(disk.directory)/content") }
        let (copy, lost) = (cloud.copy(), cloud.lostContents)
        let (state, name, time, ids) = (disk.directory, name, time, ids)
        let (pool, log) = (shared.transfers.pool, shared.log)
        let restored = try BackgroundWork.wait {
            let backend = try await copy.backend()
            let transfers = TransferContext(backend: backend, slots: TransferSlots(), pool: pool)
            let rebuild = StateRebuild(
                state: state, transfers: transfers, device: name, time: time, newID: ids.next, log: log)
            _ = try await rebuild.run(because: "The cloud went back.") { _ in }
            let missing = try await backend.missing(lost.map(\.digest), in: .cloudDocs)
            return lost.filter { !missing.contains($0.digest) }
        }
        for content in restored { cloud.restore(content) }
        try removeTree("\(disk.directory)/set-aside")
        isNewState = true
        try start()
        isNewState = false
    }

    private func removeTree(_ path: String) throws {
        guard access(path, F_OK) == 0 else { return }
        try FileManager.default.removeItem(atPath: path)
    }

    /// The contents that this device has yet to send, or does not know to be sent.
    func unsentTexts() throws -> Set<String> {
        let waiting = try UserActions(device: self).items {
            $0.kind == .file && ($0.isEdited || $0.pendingSince != nil)
        }
        let container = try container().id
        let batch = try metadata.read { try $0.pending.batch(of: container) }
        let sent = try batch.map { try ChangeBatch(decoding: $0.payload).contents } ?? []
        return try Set(
            waiting.map(text) + sent.compactMap { cloud.formerContents[$0] }.map { String(decoding: $0, as: UTF8.self) }
        )
    }

    /// The contents of wholly local files.
    func wholeTexts() throws -> Set<String> {
        try Set(UserActions(device: self).items { $0.kind == .file && $0.presence == .whole }.map(text))
    }
}

/// Runs asynchronous parts of the engine for a history, which is synchronous, on a separate thread: the history's own
/// thread may be one of the few threads for tasks.
enum BackgroundWork {
    private final class Queue: TaskExecutor {
        private let queue = DispatchQueue(label: "simulation")
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// Runs `body` and returns its result. Blocks.
    static func wait<T: Sendable>(for body: @escaping @Sendable () async throws -> T) throws -> T {
        let done = DispatchSemaphore(value: 0)
        return try withExtendedLifetime(Queue()) { queue in
            let box = Outcome<T>()
            Task(executorPreference: queue) {
                let result: Result<T, any Error>
                do { result = .success(try await body()) } catch { result = .failure(error) }
                box.set(result)
                done.signal()
            }
            done.wait()
            return try box.get()
        }
    }

    private final class Outcome<T: Sendable>: Sendable {
        private let result = Mutex<Result<T, any Error>>(.failure(Errno(EINVAL, "no result")))
        func set(_ result: Result<T, any Error>) { self.result.withLock { $0 = result } }
        func get() throws -> T { try result.withLock { $0 }.get() }
    }
}
