import Basics
import CallHandlers
import CloudAccess
import CloudStorage
import ContainerLog
import DaemonProtocol
import Glibc
import LocalContent
import LocalMetadata
import Logging
import Maintenance
import Transfers

/// Opens a device on its state directory. A damaged state, or a state whose reset was requested, is first rebuilt from
/// the cloud.
struct StateOpening {
    let configuration: DaemonConfiguration
    let readiness: ReadinessPipe
    let logger: Logger

    private var state: String { configuration.stateDirectory }
    private var database: String { "\(state)/metadata.sqlite" }

    /// - Returns: The device, and the report of a rebuild, if any.
    /// - Throws: ``DaemonFailure``. If a rebuild fails, the state is left as it was.
    func open() async throws -> (device: Device, rebuild: RebuildReport?) {
        readiness.starting("opening \(state)")
        if let report = try StateSwap(state: state).resume() {
            logger.notice("completed an interrupted rebuild: \(report)")
        }
        if configuration.resets {
            try refuseNewer()
            let report = try await rebuild(because: "a reset was requested")
            return (try openDevice(), report)
        }
        do throws(DaemonFailure) {
            try requireDatabase()
            return (try openDevice(), nil)
        } catch {
            guard error.code == .damaged else { throw error }
            logger.error("the state is damaged and is rebuilt", metadata: ["why": "\(error)"])
            let report = try await rebuild(because: error.message, damage: error)
            return (try openDevice(), report)
        }
    }

    /// Refuses a state of a newer version, since only that version knows its indispensable parts.
    private func refuseNewer() throws(DaemonFailure) {
        do { try MetadataDatabase.refuseNewer(database) } catch {
            // A damaged state is handled by a reset.
            guard let error = error as? MetadataError, error.code == .tooNew else { return }
            throw DaemonFailure(error, path: state)
        }
    }

    private func openDevice() throws(DaemonFailure) -> Device {
        do { return try Device(configuration, logger: logger) } catch let error as MetadataError {
            throw DaemonFailure(error, path: state)
        } catch let error as DaemonFailure { throw error } catch {
            throw DaemonFailure(
                .failed, "the state cannot be opened (\(error))", path: state, advice: "Check the disk that holds it.")
        }
    }

    /// Requires a non-empty database: SQLite accepts an empty file as a new database, but beside documents it is the
    /// remainder of a lost one.
    private func requireDatabase() throws(DaemonFailure) {
        var information = stat()
        if stat(database, &information) == 0, information.st_size > 0 { return }
        guard try hasBlobs() else { return }
        throw DaemonFailure(
            .damaged, "the metadata database is empty or missing, although there are documents", path: state)
    }

    /// - Returns: Whether there are blobs.
    /// - Throws: ``DaemonFailure`` if the folder cannot be read: if it were treated as empty, the start would remove bytes of documents.
    private func hasBlobs() throws(DaemonFailure) -> Bool {
        let content = "\(state)/content"
        guard access(content, F_OK) == 0 else { return false }
        do {
            let store = try ContentStore(directory: content)
            return try store.existingShards().contains { try !store.blobs(inShard: $0).isEmpty }
        } catch {
            throw DaemonFailure(
                .failed, "the documents on this device cannot be examined (\(error))", path: content,
                advice: "Nothing was changed. Check the disk that holds them.")
        }
    }

    private func rebuild(because reason: String, damage: DaemonFailure? = nil) async throws -> RebuildReport {
        let transfers = try Device.transfers(try configuration.cloud.backend(logger))
        let rebuild = StateRebuild(
            state: state, transfers: transfers, device: configuration.deviceName, time: SystemTime(), log: logger)
        let report: RebuildReport
        do {
            report = try await rebuild.run(because: reason) { readiness.starting("rebuilding: \($0)") }
        } catch { throw failure(error, damage) }
        logger.notice("rebuilt the state: \(report)")
        readiness.note(report.sentence)
        return report
    }

    private func failure(_ error: any Error, _ damage: DaemonFailure?) -> DaemonFailure {
        let why = (error as? CloudError)?.message ?? "\(error)"
        let code: DaemonFailure.Code =
            switch error {
            case let error as CloudError where error.code == .offline: .offline
            case let error as CloudError where error.code == .tooNew: .versionMismatch
            case is LogError: .versionMismatch
            case let error as MetadataError: error.code == .noSpace ? .diskFull : .failed
            default: .failed
            }
        let what = damage.map { "\($0.message); it could not be rebuilt from the cloud" } ?? "it could not be reset"
        return DaemonFailure(
            code, "\(what) (\(DaemonFailure.clause(why)))", path: state,
            advice:
                "Nothing was changed; edits that were not uploaded are in its folder content. Mount again once that is fixed."
        )
    }
}
