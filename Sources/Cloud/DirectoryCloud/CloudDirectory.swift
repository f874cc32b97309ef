import Basics
import CloudModel
import CloudStorage
import Glibc
import Logging
import Synchronization
import SystemPackage

/// The cloud's directory, with every operation in its blocking form; ``DirectoryBackend`` runs them on dedicated
/// threads.
///
/// An operation opens the directory by its path, works below that descriptor and closes it afterwards: the cloud's disk
/// can be unmounted at any time, and is used again as soon as it is back.
final class CloudDirectory: Sendable {
    let path: FilePath
    let time: any TimeSource
    let logger: Logger

    /// The cloud of this instance; it never changes.
    let session = Mutex(Session())
    /// The known state of each log. These are only hints: another process may have appended since.
    let logs = Mutex<[ContainerName: KnownEnd]>([:])
    let checks = Mutex<[ContainerName: CheckedShards]>([:])
    let unsynced = Mutex(UnsyncedChunks())
    /// Held while chunks are made durable: an append must not overtake an ongoing sync of chunks of both.
    let syncing = Mutex(())

    struct Session {
        var identity: CloudIdentity?
        /// The last identity file read. While it stays the same, so does the cloud.
        var seen: FileKey?
    }

    init(path: FilePath, time: any TimeSource, logger: Logger) {
        self.path = path.lexicallyNormalized()
        self.time = time
        self.logger = logger
    }

    var root: String { path.string }

    /// Runs an operation in the cloud's directory, after checking that the directory exists and is still the same cloud.
    func perform<T>(
        _ access: Access, in container: ContainerName? = nil, _ body: (Descriptor) throws -> T
    ) throws(CloudError) -> T {
        guard let directory = try translating(access, { try openRoot() }) else { throw absent() }
        do {
            try confirmIdentity(directory)
            return try body(directory)
        } catch let error as PathError where [ENOENT, ENOTDIR].contains(error.code) {
            throw absence(in: directory, of: container) ?? CloudError(error, access, root: root)
        } catch {
            throw translated(error, access)
        }
    }

    func translating<T>(_ access: Access, _ body: () throws -> T) throws(CloudError) -> T {
        do { return try body() } catch { throw translated(error, access) }
    }

    private func translated(_ error: any Error, _ access: Access) -> CloudError {
        switch error {
        case let error as CloudError: error
        case let error as PathError: CloudError(error, access, root: root)
        default: CloudError(.failed, "An operation on \(root) failed and will be retried.", cause: error)
        }
    }

    /// Opens the cloud's directory; nil if there is no directory at this path.
    func openRoot() throws(PathError) -> Descriptor? {
        do {
            let raw = try check("open") { path.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) } }
            return Descriptor(owning: raw, path: "")
        } catch  where [ENOENT, ENOTDIR].contains(error.code) { return nil } catch {
            throw PathError(path: "", errno: error)
        }
    }

    func absent() -> CloudError {
        CloudError(
            .offline, "There is no cloud at \(root) now. Connect the disk that holds it, or put the directory back.")
    }

    /// Returns why an object of a container is absent if more than the object is missing (the cloud or the container); otherwise nil.
    func absence(in directory: Descriptor, of container: ContainerName?) -> CloudError? {
        do {
            if try !directory.isPresent(CloudLayout.identity) { return absent() }
            if try !directory.isPresent(CloudLayout.containers) {
                return CloudError(
                    .damaged, "The folder \(root)/\(CloudLayout.containers) is missing. Restore it from a backup.")
            }
            if let container, try !directory.isPresent(CloudLayout.log(container)) {
                return CloudError(.notFound, "The cloud at \(root) has no container \(container).")
            }
            return nil
        } catch { return CloudError(error, .reading, root: root) }
    }
}
