import CloudModel
import CloudStorage
import DirectoryCloud
import Glibc
import Logging
import SystemPackage
import Testing

/// Creates a folder for a test and removes it afterwards. The cloud is below it, so that the test can move it away.
func withFolder<T>(_ body: (FilePath) async throws -> T) async throws -> T {
    var template = Array("/tmp/directory-cloud-XXXXXX".utf8CString)
    let made = template.withUnsafeMutableBufferPointer { $0.baseAddress.flatMap { mkdtemp($0) } }
    let folder = FilePath(String(cString: try #require(made)))
    do {
        let result = try await body(folder)
        run(["rm", "-rf", folder.string])
        return result
    } catch {
        run(["rm", "-rf", folder.string])
        throw error
    }
}

/// Runs a program of the system.
///
/// - Returns: Whether it succeeded.
@discardableResult
func run(_ arguments: [String]) -> Bool {
    var pid = pid_t()
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    guard posix_spawnp(&pid, arguments[0], nil, nil, &pointers, environ) == 0 else { return false }
    var status: Int32 = 0
    waitpid(pid, &status, 0)
    return status == 0
}

func backend(_ path: FilePath) -> DirectoryBackend {
    DirectoryBackend(path: path, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
}

/// Returns a connected backend for a new cloud with one container.
func newCloud(_ path: FilePath) async throws -> DirectoryBackend {
    let cloud = backend(path)
    _ = try await cloud.connect(create: true)
    try await cloud.createContainer(.cloudDocs)
    return cloud
}

func chunkID(_ byte: UInt8) throws -> ChunkID { try #require(ChunkID([UInt8](repeating: byte, count: 32))) }

extension FilePath {
    /// Returns an entry's path. It is written out here because the layout is a promise to other versions.
    func entry(_ number: Int) -> FilePath { appending("containers/CloudDocs/log/000000/00000000\(number)") }

    func chunk(_ byte: UInt8) throws -> FilePath {
        let text = try chunkID(byte).description
        return appending("containers/CloudDocs/chunks/\(text.prefix(2))/\(text.dropFirst(2))")
    }

    func write(_ bytes: [UInt8]) throws {
        let file = try FileDescriptor.open(
            self, .writeOnly, options: [.create, .truncate, .closeOnExec], permissions: .ownerReadWrite)
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    func read() throws -> [UInt8] {
        let file = try FileDescriptor.open(self, .readOnly, options: .closeOnExec)
        return try file.closeAfter {
            try [UInt8](unsafeUninitializedCapacity: 1 << 20) { buffer, count in
                count = try file.read(into: UnsafeMutableRawBufferPointer(buffer))
            }
        }
    }

    var isThere: Bool { withPlatformString { access($0, F_OK) } == 0 }

    func rename(to other: FilePath) throws {
        let result = withPlatformString { from in other.withPlatformString { to in Glibc.rename(from, to) } }
        try #require(result == 0)
    }
}
