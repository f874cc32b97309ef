import Archives
import Basics
package import CloudModel
import Foundation
import Glibc
package import LocalMetadata
package import Sync
package import Transfers

/// The bytes of requested versions: read-only files `versions/ITEM-VERSION/NAME` in the state directory. They are
/// copies: those older than a day are removed when the next version is fetched, and all of them at a start.
package struct VersionFiles: Sendable {
    private let directory: String
    private let context: EngineContext

    /// - Parameter directory: The path of the folder for the files, created when the first version is fetched.
    package init(directory: String, context: EngineContext) {
        self.directory = directory
        self.context = context
    }

    /// Returns whether the bytes of a version have been fetched.
    package func has(_ version: HistoricVersion, named name: ItemName) -> Bool {
        access(path(of: version, name), R_OK) == 0
    }

    /// Fetches the bytes of a version.
    ///
    /// - Throws: ``VersionError``.
    package func fetch(_ version: HistoricVersion, named name: ItemName, in container: ContainerName) async throws {
        guard !has(version, named: name) else { return }
        let path = path(of: version, name)
        let incomplete = "\(folder(of: version)).\(UUID().uuidString)"
        let file = try await context.blocking { [self] in
            removeOld()
            try FileManager.default.createDirectory(
                atPath: folder(of: version), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let descriptor = try check("open") { open(incomplete, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o400) }
            return SharedDescriptor(adopting: descriptor)
        }
        do { try await VersionHistory(context).fetch(version.content, of: container, to: file) } catch {
            unlink(incomplete)
            throw error
        }
        try await context.blocking { _ = try check("rename") { rename(incomplete, path) } }
    }

    // MARK: Packages

    package func has(_ version: VersionID, of package: ItemID, named name: ItemName) -> Bool {
        access(path(of: package, version, name), R_OK) == 0
    }

    package func path(of item: ItemID, _ version: VersionID, _ name: ItemName) -> String {
        "\(directory)/\(item)-\(version)/\(name)"
    }

    /// Fetches all files of a package's state. They appear atomically.
    ///
    /// - Throws: ``VersionError``.
    package func fetch(
        _ state: PackageState, of package: ItemID, named name: ItemName, in container: ContainerName
    ) async throws {
        guard !has(state.version, of: package, named: name) else { return }
        let path = path(of: package, state.version, name)
        let incomplete = "\(directory)/\(package)-\(state.version).\(UUID().uuidString)"
        do {
            try await context.blocking { [self] in
                removeOld()
                for folder in [incomplete, "\(directory)/\(package)-\(state.version)"] { try Self.makeFolder(folder) }
            }
            try await fetch(state.contents, to: incomplete, in: container)
            try await context.blocking { [self] in
                guard !has(state.version, of: package, named: name) else { return Self.remove(incomplete) }
                _ = try check("rename") { rename(incomplete, path) }
            }
        } catch {
            Self.remove(incomplete)
            throw error
        }
    }

    private func fetch(_ contents: [PackageContent], to folder: String, in container: ContainerName) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (index, content) in contents.enumerated() {
                if index >= Self.parallelFetches { try await group.next() }
                group.addTask { try await fetch(content, below: folder, in: container) }
            }
            try await group.waitForAll()
        }
    }

    /// Runs `body` with a temporary zip file of these contents.
    ///
    /// - Throws: ``VersionError``, and the errors of `body`.
    package func withArchive<T: Sendable>(
        of contents: [PackageContent], named name: ItemName, in container: ContainerName,
        _ body: (_ file: SharedDescriptor, _ size: UInt64) async throws -> T
    ) async throws -> T {
        let place = "\(directory)/archive.\(UUID().uuidString)"
        defer { Self.remove(place) }
        let folder = "\(place)/\(name)"
        try await context.blocking { [self] in
            removeOld()
            try Self.makeFolder(folder)
        }
        try await fetch(contents, to: folder, in: container)
        let (file, size) = try await context.blocking { () throws -> (SharedDescriptor, UInt64) in
            let descriptor = try check("open") {
                open("\(place)/archive.zip", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            }
            let file = SharedDescriptor(adopting: descriptor)
            do {
                try FolderArchive.write(
                    URL(filePath: folder), to: FileHandle(fileDescriptor: descriptor, closeOnDealloc: false))
            } catch let error as CocoaError where error.code == .fileWriteOutOfSpace {
                throw VersionError(
                    code: .failed, message: "One zip file has room for less than 4 GiB and 65,535 files.")
            }
            var status = stat()
            try check("fstat") { fstat(descriptor, &status) }
            return (file, UInt64(clamping: status.st_size))
        }
        return try await body(file, size)
    }

    private static let parallelFetches = 8

    private func fetch(
        _ content: PackageContent, below folder: String, in container: ContainerName
    ) async throws {
        let file: SharedDescriptor? = try await context.blocking {
            // Names are bytes, which are not necessarily valid in a String.
            var path = Array(folder.utf8)
            for name in content.path.dropLast() {
                path += [UInt8(ascii: "/")] + name.bytes
                guard mkdir(Self.cString(path), 0o700) == 0 || errno == EEXIST else { throw Errno(errno) }
            }
            if let name = content.path.last { path += [UInt8(ascii: "/")] + name.bytes }
            let place = Self.cString(path)
            switch content.body {
            case .symlink(let target):
                _ = try check("symlink") { symlink(Self.cString(target), place) }
                return nil
            case .file:
                let permissions = mode_t(0o400 | content.permissions & 0o100)
                let descriptor = try check("open") { open(place, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, permissions) }
                return SharedDescriptor(adopting: descriptor)
            }
        }
        guard let file, case .file(let reference) = content.body else { return }
        try await VersionHistory(context).fetch(reference, of: container, to: file)
    }

    private static func cString(_ bytes: [UInt8]) -> [CChar] { bytes.map { CChar(bitPattern: $0) } + [0] }

    private static func makeFolder(_ path: String) throws {
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    /// Removes a file with best effort: a remaining file uses space until the next start.
    private static func remove(_ path: String) { try? FileManager.default.removeItem(atPath: path) }

    /// Removes all files. Called at a start, before requests are served.
    package func removeAll() throws {
        guard access(directory, F_OK) == 0 else { return }
        try FileManager.default.removeItem(atPath: directory)
    }

    private func folder(of version: HistoricVersion) -> String { "\(directory)/\(version.item)-\(version.version)" }

    package func path(of version: HistoricVersion, _ name: ItemName) -> String { "\(folder(of: version))/\(name)" }

    private func removeOld() {
        // Best effort: if a file is not removed, it uses space until the next start.
        let names = (try? FileManager.default.contentsOfDirectory(atPath: directory)) ?? []
        for name in names {
            var status = stat()
            guard stat("\(directory)/\(name)", &status) == 0,
                Timestamp(status.st_ctim).split.seconds < Int64(time(nil)) - 86_400
            else {
                continue
            }
            try? FileManager.default.removeItem(atPath: "\(directory)/\(name)")
        }
    }
}
