import Basics
import CloudModel
import CloudStorage
import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync
import Transfers
import VersionFiles
import VirtualFileSystem

struct PublishHandler: NounHandler {
    let device: MountedDevice
    let versions: VersionsHandler
    let unsaved: UnsavedChanges

    func register(in router: inout CallRouter) {
        router.on(publish)
        router.on { (_: LinksRequest) in try await links() }
        router.on(unpublish)
    }

    /// Publishes the document's current content, as soon as the cloud has it.
    func publish(_ request: PublishRequest) async throws -> PublishedResponse {
        let cloud = try linkingCloud()
        let document: Uploaded
        if let package = try await versions.package(at: request.path) {
            document = try await uploadedArchive(of: package, request)
        } else {
            document = try await uploaded(request.path, within: request.timeout)
        }
        let publication = Publication(
            content: document.content, name: document.name, container: document.container, seconds: request.seconds,
            password: request.password)
        let link = try await asking { try await cloud.publish(publication) }
        return PublishedResponse(link: link.id, url: link.url, expires: WireTime(link.expires))
    }

    func links() async throws -> LinksResponse {
        let cloud = try linkingCloud()
        let links = try await asking { try await cloud.links() }
        return LinksResponse(
            links: links.map { link in
                PublishedDocument(
                    link: link.id, container: link.container, name: link.name, size: link.size,
                    created: WireTime(link.created), expires: WireTime(link.expires), hasPassword: link.hasPassword)
            })
    }

    func unpublish(_ request: UnpublishRequest) async throws -> DoneResponse {
        let cloud = try linkingCloud()
        try await asking { try await cloud.withdrawLink(request.link) }
        return DoneResponse()
    }

    private func linkingCloud() throws -> any LinkPublishing {
        guard let cloud = device.engine.context.backend.facet((any LinkPublishing).self) else {
            throw DaemonFailure(
                .unsupported, "the cloud of this mount cannot publish documents",
                path: configuration.mountPoint, advice: "Publishing needs a cloud on ubiquity-server.")
        }
        return cloud
    }

    /// A document with all bytes in the cloud.
    struct Uploaded {
        let content: ContentReference
        let name: ItemName
        let container: ContainerName
    }

    /// Waits until the cloud has the document as the mount shows it, including programs' formerly unsaved changes.
    func uploaded(_ path: MountPath, within seconds: Double?) async throws -> Uploaded {
        let engine = device.engine
        engine.context.urgency.begin()
        defer { engine.context.urgency.end() }
        try await unsaved.save(at: [path], within: seconds)
        try await blocking { [self] in device.files.noteIdleEdits(pause: .zero) }
        let clock = ContinuousClock()
        let deadline = try seconds.map { clock.now.advanced(by: try Duration(requestedSeconds: $0)) }
        while true {
            engine.localTreeChanged()
            if let document = try await blocking({ [self] in try uploadedNow(path) }) { return document }
            switch engine.state {
            case .offline(let why): throw DaemonFailure(.offline, sentences: why)
            case .stopped(let why): throw DaemonFailure(.failed, sentences: why)
            case .online, .connecting: break
            }
            if let deadline, clock.now >= deadline {
                throw DaemonFailure(
                    .timedOut, "the document is not uploaded yet", path: path.description,
                    advice: "The upload continues in the background; try again when it is complete.")
            }
            try await clock.sleep(for: .milliseconds(20))
        }
    }

    /// Uploads a zip file of the package's content in the cloud. A link keeps the chunks of its content alive; no
    /// document refers to them.
    private func uploadedArchive(of package: VersionSubject, _ request: PublishRequest) async throws -> Uploaded {
        guard package.item != nil else { throw versions.deletedFailure(request.path) }
        try await unsaved.save(at: [request.path], within: request.timeout)
        let context = device.engine.context
        let container = try await blocking { [self] in
            try device.metadata.read { try $0.container(package.container)?.name } ?? .cloudDocs
        }
        guard let name = try? ItemName(bytes: package.name.bytes + Array(".zip".utf8)) else {
            throw DaemonFailure(
                .invalidRequest, "the package's name is too long for a zip file", path: request.path.description,
                advice: "Give it a shorter name.")
        }
        do {
            let contents = try await PackageHistory(context).present(
                package.id, in: package.container,
                within: try request.timeout.map { try Duration(requestedSeconds: $0) })
            return try await device.versionFiles.withArchive(of: contents, named: package.name, in: container) {
                file, size in
                let result = try await ContentUploader(context.transfers).upload(file, size: size, to: container)
                return Uploaded(content: result.reference, name: name, container: container)
            }
        } catch let error as VersionError {
            throw DaemonFailure(error, request.path)
        } catch let error as TransferError { throw DaemonFailure(VersionError(error), request.path) }
    }

    /// Returns nil while the document waits to be uploaded. Throws if it will not be uploaded.
    private func uploadedNow(_ path: MountPath) throws -> Uploaded? {
        let item = try document(at: path)
        guard item.kind == .file else {
            throw DaemonFailure(
                .invalidRequest, "only a file has a version in the cloud", path: path.description,
                advice: "To publish a folder, put it into an archive and name that.")
        }
        let status = try device.files.status(of: item)
        guard !status.isExcluded, !status.isPaused else {
            throw DaemonFailure(
                .invalidRequest, "the document is not uploaded", path: path.description,
                advice: status.isExcluded
                    ? "It is excluded from sync." : "It is paused, or a folder above it is.")
        }
        if let why = status.uploadingError { throw DaemonFailure(.failed, sentences: why, path: path.description) }
        let isAgreed = try item.conflict != nil || device.metadata.read { try $0.synced.showsAgreed(item) }
        guard let content = item.content, isAgreed, !item.isWriting else { return nil }
        return Uploaded(content: content, name: item.name, container: status.container)
    }

    private func asking<T>(_ body: () async throws -> T) async throws -> T {
        do { return try await body() } catch let error as CloudError {
            let code: DaemonFailure.Code =
                switch error.code {
                case .offline: .offline
                case .notFound: .notFound
                case .unauthorized: .permissionDenied
                case .quota: .quota
                default: .failed
                }
            throw DaemonFailure(code, sentences: error.message)
        }
    }
}
