import Basics
import CloudModel
import ContainerLog
import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync
import VersionFiles
import VirtualFileSystem

struct VersionsHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(versions)
        router.on(fetchVersion)
        router.on { (request: RestoreRequest) in try await restore(request) }
        router.on(removeVersions)
    }

    func versions(_ request: VersionsRequest) async throws -> VersionsResponse {
        try await blocking { [self] in
            let subject = try documentOrDeleted(at: request.path)
            return VersionsResponse(
                path: request.path, isDeleted: subject.item == nil,
                versions: try device.metadata.read { try list(subject, $0) })
        }
    }

    func fetchVersion(_ request: FetchVersionRequest) async throws -> FetchVersionResponse {
        if let package = try await package(at: request.path) { return try await fetch(request, of: package) }
        let (subject, version, container) = try await blocking {
            [self] () throws -> (VersionSubject, HistoricVersion, ContainerName) in
            let subject = try documentOrDeleted(at: request.path)
            let version = try historic(request.version, of: subject, request.path)
            let container = try device.metadata.read { try $0.container(subject.container)?.name }
            return (subject, version, container ?? .cloudDocs)
        }
        do {
            try await device.versionFiles.fetch(version, named: subject.name, in: container)
            return FetchVersionResponse(version: entry(version, of: subject))
        } catch let error as VersionError { throw DaemonFailure(error, request.path) }
    }

    func restore(_ request: RestoreRequest) async throws -> DoneResponse {
        if let package = try await package(at: request.path) { return try await restore(request, package) }
        let (item, version) = try await blocking { [self] () throws -> (LocalItem, HistoricVersion) in
            let subject = try documentOrDeleted(at: request.path)
            guard let item = subject.item else { throw deletedFailure(request.path) }
            return (item, try historic(request.version, of: subject, request.path))
        }
        do { try await VersionHistory(device.engine.context).restore(version, of: item.item) } catch let error
            as VersionError
        { throw DaemonFailure(error, request.path) }
        device.engine.localTreeChanged()
        return DoneResponse()
    }

    func removeVersions(_ request: RemoveVersionsRequest) async throws -> DoneResponse {
        try await blocking { [self] in
            let subject = try documentOrDeleted(at: request.path)
            guard !subject.isPackage else { throw Self.removalFailure(request.path) }
            let removed = try request.versions.map { try historic($0, of: subject, request.path) }
            try device.metadata.write { transaction in
                for version in removed {
                    try transaction.pending.insert(
                        Resolution(container: version.container, item: version.item, version: version.version))
                }
            }
        }
        device.engine.askCloud()
        return DoneResponse()
    }

    // MARK: Paths

    var now: Timestamp { device.engine.context.time.now() }

    func documentOrDeleted(at path: MountPath) throws -> VersionSubject {
        do {
            let named = try document(at: path)
            let item = try device.metadata.read { try $0.local.document(ofVersion: named) } ?? named
            guard item.kind == .file || item.isPackage else {
                throw DaemonFailure(
                    .invalidRequest, "folders have no versions; only files and packages do", path: path.description,
                    advice: "Name a file in it.")
            }
            return VersionSubject(
                item: item, id: item.item, container: item.container, name: item.name, isPackage: item.isPackage)
        } catch let failure as DaemonFailure where failure.code == .notFound {
            guard let deleted = try deleted(at: path) else { throw failure }
            return deleted
        }
    }

    private func deleted(at path: MountPath) throws -> VersionSubject? {
        try device.metadata.read { transaction in
            let names = path.components.map(Array.init)
            let noted = try transaction.history.deletedItems(at: names).lazy.compactMap { item -> VersionSubject? in
                let isPackage =
                    try item.isFolder && transaction.local.packageTypes(of: item.container).isPackage(item.name)
                guard item.cloud.body.kind == .file || isPackage else { return nil }
                return VersionSubject(
                    item: nil, id: item.id, container: item.container, name: item.name, isPackage: isPackage)
            }
            if let noted = noted.first { return noted }
            // The document was deleted before deletions were recorded. Impossible names never had versions.
            guard let folder = try transaction.local.folder(at: names.dropLast()), let last = names.last,
                let name = try? ItemName(bytes: last)
            else { return nil }
            let gone = try transaction.history.deletedItems(named: name, in: folder.item, folder.container)
            return gone.first.map {
                VersionSubject(item: nil, id: $0.id, container: folder.container, name: $0.name, isPackage: false)
            }
        }
    }

    // MARK: Versions

    private func list(_ subject: VersionSubject, _ transaction: MetadataTransaction) throws -> [DocumentVersion] {
        let past = try history(of: subject, transaction)
        guard let item = subject.item else { return past }
        let siblings = try transaction.local.conflicts(of: item)
        let present = try entry(item, .current, transaction)
        return [present] + (try siblings.map { try entry($0, .conflict, transaction) }) + past
    }

    private func history(
        of subject: VersionSubject, _ transaction: MetadataTransaction
    ) throws -> [DocumentVersion] {
        guard !subject.isPackage else { return try states(of: subject, transaction).map { entry($0, of: subject) } }
        return try transaction.history.versions(of: subject.id, in: subject.container, configuration.versions, at: now)
            .map { entry($0, of: subject) }
    }

    func entry(
        _ item: LocalItem, _ kind: DocumentVersion.Kind, _ transaction: MetadataTransaction
    ) throws -> DocumentVersion {
        // The author of a package is the device that changed it last, not the one that created its folder.
        let made = try transaction.lastChanged(in: item)
        let madeCloud = try transaction.cloudItem(made)
        let isSent = madeCloud?.content == made.content && !made.isEdited && made.pendingSince == nil
        let author = try transaction.author(of: item) ?? (isSent ? madeCloud?.device : nil)
        let cloud = try transaction.cloudItem(item)
        let isUploaded = cloud?.content == item.content && !item.isEdited && item.pendingSince == nil
        let path = "\(configuration.mountPoint)/\(try path(of: item, transaction))"
        let state = try transaction.syncState(of: item) { _ in TransferFractions() }
        let version = item.conflictPlace?.version ?? (isUploaded ? cloud?.version : nil)
        return DocumentVersion(
            version: version?.description ?? "current", kind: kind,
            device: author ?? configuration.deviceName, modified: WireTime(made.attributes.modified),
            size: state.size, isHere: item.kind == .folder ? state.downloading != .notDownloaded : item.isMaterialised,
            file: path)
    }

    private func entry(_ version: HistoricVersion, of subject: VersionSubject) -> DocumentVersion {
        DocumentVersion(
            version: version.version.description, kind: .history, device: version.authorName,
            modified: WireTime(version.modified), size: version.content.size, superseded: WireTime(version.superseded),
            isHere: device.versionFiles.has(version, named: subject.name),
            file: device.versionFiles.path(of: version, subject.name))
    }

    private func historic(_ text: String, of subject: VersionSubject, _ path: MountPath) throws -> HistoricVersion {
        let found = try VersionID(text).flatMap { version in
            try device.metadata.read { transaction in
                try transaction.history.versions(of: subject.id, in: subject.container, configuration.versions, at: now)
                    .first { $0.version == version }
            }
        }
        guard let found else {
            guard subject.item?.kind != .folder else {
                throw DaemonFailure(
                    .notFound, "a package has no history of its own", path: path.description,
                    advice: "Name a file in it; use `ubiquity resolve` for versions of the package in conflict.")
            }
            throw DaemonFailure(
                .notFound, "the document's history has no version \(text)", path: path.description,
                advice: "`ubiquity versions` lists the versions; use `ubiquity resolve` for those in conflict.")
        }
        return found
    }
}

extension DaemonFailure {
    init(_ error: VersionError, _ path: MountPath) {
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .notUploaded: .notUploaded
            case .busy: .busy
            case .offline: .offline
            case .failed: .failed
            }
        self.init(code, sentences: error.message, path: path.description)
    }
}
