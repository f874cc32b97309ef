import Basics
import CloudModel
import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync
import VersionFiles
import VirtualFileSystem

/// Pauses and resumes the sync of documents, and decides what happens to their edits.
struct PauseHandler: NounHandler {
    let device: MountedDevice
    let sync: SyncHandler
    let versions: VersionsHandler
    let publishing: PublishHandler

    func register(in router: inout CallRouter) {
        router.on(latestVersion)
        router.on(resume)
    }

    func latestVersion(_ request: LatestVersionRequest) async throws -> FetchVersionResponse {
        try await sync.followCloud(within: request.timeout) { [self] in offlineFailure(request.path) }
        let (item, newer, container) = try await blocking {
            [self] () throws -> (LocalItem, HistoricVersion?, ContainerName) in
            let item = try file(at: request.path)
            return try device.metadata.read { transaction in
                let newer = try paused.newer(than: item, transaction)
                return (
                    item, try transaction.local.isPaused(item) ? newer : nil,
                    try transaction.container(item.container)?.name ?? .cloudDocs
                )
            }
        }
        guard let newer else {
            return FetchVersionResponse(
                version: try await blocking { [self] in
                    try device.metadata.read { try versions.entry(item, .current, $0) }
                })
        }
        do { try await device.versionFiles.fetch(newer, named: item.name, in: container) } catch let error
            as VersionError
        {
            throw DaemonFailure(error, request.path)
        }
        return FetchVersionResponse(
            version: DocumentVersion(
                version: newer.version.description, kind: .history, device: newer.authorName,
                modified: WireTime(newer.modified), size: newer.content.size, isHere: true,
                file: device.versionFiles.path(of: newer, item.name)))
    }

    func resume(_ request: ResumeRequest) async throws -> DoneResponse {
        let item = try await blocking { [self] in
            let item = try file(at: request.path)
            guard try !device.metadata.read({ try $0.local.isPaused(in: item.parent) }) else {
                throw DaemonFailure(
                    .busy, "a folder above it is paused", path: request.path.description,
                    advice: "Resume that folder.")
            }
            return item
        }
        if request.edits != .upload {
            try await sync.followCloud(within: request.timeout) { [self] in offlineFailure(request.path) }
        }
        switch request.edits {
        case .upload: try await upload(item, request, known: nil)
        case .uploadUnlessConflict:
            let known = try await blocking { [self] in try conflicts(of: item) }
            guard try await blocking({ [self] in try paused.rebase(item, on: request.seen.flatMap(VersionID.init)) })
            else { throw conflict(request.path, "another device wrote the document") }
            try await upload(item, request, known: known)
        case .drop:
            try await requireCloudVersion(of: item, request.path)
            do { try await paused.dropEdits(of: item) } catch let error as VersionError {
                throw DaemonFailure(error, request.path)
            }
            try await setPaused(request.staysPaused, item)
            device.engine.writeAgain()
        }
        return DoneResponse()
    }

    /// Throws if the document consists only of its edit, to be dropped by deleting it.
    private func requireCloudVersion(of item: LocalItem, _ path: MountPath) async throws {
        let remote = try await blocking { [self] in
            try device.metadata.read { try $0.remote(item.item, in: item.container) }
        }
        guard remote == nil else { return }
        throw DaemonFailure(
            .conflict, "the cloud has no version of it", path: path.description,
            advice: "Delete it, or move it out of the mount.")
    }

    private var paused: PausedSync { PausedSync(device.engine.context) }

    private func file(at path: MountPath) throws -> LocalItem {
        let item = try document(at: path)
        guard item.kind == .file, !item.isConflictSibling else {
            throw DaemonFailure(
                .invalidRequest, "only a file has a version in the cloud", path: path.description,
                advice: "Name a document.")
        }
        return item
    }

    /// Uploads the item. If its edits are not in the cloud in time, the previous pause is restored.
    private func upload(_ item: LocalItem, _ request: ResumeRequest, known: Set<VersionID>?) async throws {
        try await setPaused(false, item)
        do { _ = try await publishing.uploaded(request.path, within: request.timeout) } catch {
            try await setPaused(item.isPaused, item)
            throw error
        }
        let new = try await blocking { [self] in try conflicts(of: item) }
        if request.staysPaused { try await setPaused(true, item) }
        if let known, !new.isSubset(of: known) {
            throw conflict(
                request.path, "another device wrote the document at the same time, and both versions are kept")
        }
    }

    private func setPaused(_ flag: Bool, _ item: LocalItem) async throws {
        try await blocking { [self] in
            // Its replacement may have a different node.
            let now = try device.metadata.read { try $0.local.item(item.item, in: item.container) }
            guard let now, now.isPaused != flag else { return }
            try device.files.setPaused(flag, of: now.node)
        }
    }

    private func conflicts(of item: LocalItem) throws -> Set<VersionID> {
        try device.metadata.read { transaction in
            Set(try transaction.local.siblings(of: item.item, in: item.container).compactMap { $0.conflict?.version })
        }
    }

    private func conflict(_ path: MountPath, _ what: String) -> DaemonFailure {
        DaemonFailure(
            .conflict, what, path: path.description,
            advice: "Download the newest version, merge the edits into it, and try again.")
    }

    private func offlineFailure(_ path: MountPath) -> DaemonFailure {
        DaemonFailure(
            .offline, "the cloud did not respond in time", path: path.description,
            advice: "Try again when it can be reached.")
    }
}
