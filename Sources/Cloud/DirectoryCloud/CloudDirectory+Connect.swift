import Basics
import CloudStorage
import Glibc
import Synchronization
import SystemPackage

extension CloudDirectory {
    /// See ``CloudBackend/connect(create:)``. Creates the directory itself, but not its parents: an absent parent
    /// usually means an unmounted disk.
    func connect(create: Bool) throws(CloudError) -> CloudIdentity {
        try translating(create ? .writing : .reading) {
            guard let directory = try openRoot() ?? (create ? makeRoot() : nil) else { throw absent() }
            guard let found = try readIdentity(directory) ?? make(in: directory, create: create) else {
                throw absent()
            }
            try adopt(found)
            unsynced.withLock { $0.startAgain() }
            removeLeftovers(in: directory)
            return found.file.identity
        }
    }

    /// Checks that the cloud is still the connected one. Reads the identity file only if it was replaced.
    func confirmIdentity(_ directory: Descriptor) throws {
        let known = session.withLock { $0 }
        guard known.identity != nil else {
            throw CloudError(.offline, "The cloud at \(root) has not been opened yet.")
        }
        guard let info = try directory.statusIfPresent(CloudLayout.identity) else { throw absent() }
        if FileKey(info) == known.seen { return }
        guard let found = try readIdentity(directory) else { throw absent() }
        try adopt(found)
    }

    private func adopt(_ found: FoundIdentity) throws(CloudError) {
        let same = session.withLock { session in
            guard session.identity == nil || session.identity == found.file.identity else { return false }
            session = Session(identity: found.file.identity, seen: found.key)
            return true
        }
        guard same else {
            throw CloudError(
                .foreign,
                "The cloud at \(root) is not the one that this device syncs with. Put the right directory there.")
        }
    }

    private struct FoundIdentity {
        let file: IdentityFile
        let key: FileKey
    }

    /// Returns nil if the directory has no identity file and so is not a cloud.
    private func readIdentity(_ directory: Descriptor) throws -> FoundIdentity? {
        guard let file = try directory.openIfPresent(CloudLayout.identity, O_RDONLY) else { return nil }
        let key = FileKey(try file.status())
        let bytes = try file.read(IdentityFile.maximumSize)
        do throws(IdentityFile.Problem) {
            return FoundIdentity(file: try IdentityFile(bytes), key: key)
        } catch {
            switch error {
            case .newer(let format):
                throw CloudError(
                    .tooNew,
                    "The cloud at \(root) needs a newer version of ubiquity: it has format \(format), this program supports "
                        + "\(IdentityFile.format). Nothing was changed. Install a newer version to continue syncing.")
            case .notOurs:
                throw CloudError(
                    .damaged, "The file \(root)/\(file.path) cannot be parsed. Restore it from a backup.")
            }
        }
    }

    private func makeRoot() throws -> Descriptor? {
        do throws(Basics.Errno) {
            try check("mkdir") { path.withPlatformString { mkdir($0, CloudLayout.folderMode) } }
        } catch {
            switch error.code {
            case EEXIST: break
            case ENOENT:
                throw CloudError(
                    .offline,
                    "Cannot create \(root): its parent folder does not exist. Create it, or connect the disk that has it."
                )
            default: throw PathError(path: "", errno: error)
            }
        }
        return try openRoot()
    }

    /// Creates a cloud in an empty directory. Returns nil if the directory is empty but `create` is false.
    private func make(in directory: Descriptor, create: Bool) throws -> FoundIdentity? {
        guard try isEmpty(directory) else {
            // A concurrent device may have created a cloud since the check.
            if let made = try readIdentity(directory) { return made }
            throw CloudError(
                .foreign,
                "The directory \(root) contains other files and is not a cloud. Choose an empty or a new directory.")
        }
        guard create else { return nil }
        try directory.makeDirectory(CloudLayout.containers)
        var generator = SystemRandomNumberGenerator()
        let bytes = Array(IdentityFile.random(using: &generator).text.utf8)
        try withTemporaryFile(in: directory, [bytes], durable: true) { name in
            // If a concurrent device was faster, both use its cloud.
            _ = try directory.link(name, to: CloudLayout.identity)
        }
        try directory.syncFolder(".")
        try syncParent()
        return try readIdentity(directory)
    }

    /// Whether the directory is empty. A new file system has `lost+found`; an interrupted creation leaves our own
    /// folders without a container.
    private func isEmpty(_ directory: Descriptor) throws -> Bool {
        let harmless: Set = ["lost+found", CloudLayout.temporary, CloudLayout.containers]
        let names = try directory.names(in: ".")
        guard names.allSatisfy(harmless.contains) else { return false }
        return try !names.contains(CloudLayout.containers) || directory.names(in: CloudLayout.containers).isEmpty
    }

    private func syncParent() throws(PathError) {
        let parent = path.removingLastComponent()
        let raw = parent.withPlatformString { open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }
        // A parent that we may not open is not ours to sync: its owner created this directory.
        if raw < 0, errno == EACCES { return }
        guard raw >= 0 else { throw PathError(path: "..", errno: Errno(errno, "open")) }
        try Descriptor(owning: raw, path: "..").syncFolder(".")
    }
}
