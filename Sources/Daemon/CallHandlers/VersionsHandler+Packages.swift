import CloudModel
import DaemonProtocol
import LocalMetadata
import Sync
import VersionFiles

/// The history of packages as whole documents.
extension VersionsHandler {
    /// Returns the package at a path, existing or deleted; nil if the path belongs to a different kind of item.
    func package(at path: MountPath) async throws -> VersionSubject? {
        try await blocking { [self] in
            let subject = try documentOrDeleted(at: path)
            return subject.isPackage ? subject : nil
        }
    }

    func fetch(_ request: FetchVersionRequest, of package: VersionSubject) async throws -> FetchVersionResponse {
        let (state, container) = try await blocking { [self] in
            let state = try self.state(request.version, of: package, request.path)
            return (state, try device.metadata.read { try $0.container(package.container)?.name } ?? .cloudDocs)
        }
        do {
            try await device.versionFiles.fetch(state, of: package.id, named: package.name, in: container)
            return FetchVersionResponse(version: entry(state, of: package))
        } catch let error as VersionError { throw DaemonFailure(error, request.path) }
    }

    func restore(_ request: RestoreRequest, _ package: VersionSubject) async throws -> DoneResponse {
        let state = try await blocking { [self] in
            guard package.item != nil else { throw deletedFailure(request.path) }
            return try self.state(request.version, of: package, request.path)
        }
        do {
            try await PackageHistory(device.engine.context).restore(state, of: package.id, in: package.container)
        } catch let error as VersionError { throw DaemonFailure(error, request.path) }
        device.engine.localTreeChanged()
        return DoneResponse()
    }

    func states(of package: VersionSubject, _ transaction: MetadataTransaction) throws -> [PackageState] {
        try transaction.packageStates(of: package.id, in: package.container, configuration.versions, at: now)
    }

    func entry(_ state: PackageState, of package: VersionSubject) -> DocumentVersion {
        let author = state.device.isEmpty ? configuration.deviceName : state.device
        return DocumentVersion(
            version: state.version.description, kind: .history, device: author, modified: WireTime(state.modified),
            size: state.size, superseded: WireTime(state.superseded),
            isHere: device.versionFiles.has(state.version, of: package.id, named: package.name),
            file: device.versionFiles.path(of: package.id, state.version, package.name))
    }

    private func state(
        _ text: String, of package: VersionSubject, _ path: MountPath
    ) throws -> PackageState {
        let found = try VersionID(text).flatMap { version in
            try device.metadata.read { try states(of: package, $0) }.first { $0.version == version }
        }
        guard let found else {
            throw DaemonFailure(
                .notFound, "the package's history has no version \(text)", path: path.description,
                advice: "`ubiquity versions` lists the versions; use `ubiquity resolve` for those in conflict.")
        }
        return found
    }

    func deletedFailure(_ path: MountPath) -> DaemonFailure {
        DaemonFailure(
            .notFound, "the document is deleted", path: path.description,
            advice: "Restore the version to another place with --to, or the deleted package without --version.")
    }

    static func removalFailure(_ path: MountPath) -> DaemonFailure {
        DaemonFailure(
            .invalidRequest, "a version of a package consists of versions of its files and cannot be removed alone",
            path: path.description, advice: "Remove the versions of the files in it.")
    }
}
