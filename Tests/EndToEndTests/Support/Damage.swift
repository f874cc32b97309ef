import Foundation
import Glibc
import TestSupport
import Testing

/// Files as a failing disk leaves them.
enum Damage {
    /// Changes a bit in each of `count` bytes from `offset` on.
    static func flip(_ path: String, at offset: Int, count: Int = 1) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        let bytes = try file.read(upToCount: count) ?? Data()
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data(bytes.map { $0 ^ 0x10 }))
    }

    /// Changes the bits of `mask` in the byte at `offset`. The file's times stay, as when a disk returns a wrong byte.
    static func change(_ path: String, at offset: Int, by mask: UInt8) throws {
        var status = stat()
        try #require(stat(path, &status) == 0)
        defer { utimensat(AT_FDCWD, path, [status.st_atim, status.st_mtim], 0) }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(offset))
        let byte = try file.read(upToCount: 1)?.first ?? 0
        try file.seek(toOffset: UInt64(offset))
        try file.write(contentsOf: Data([byte ^ mask]))
    }

    static func truncate(_ path: String, to size: UInt64) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        try file.truncate(atOffset: size)
    }

    /// Returns the plain files below a folder, largest first.
    static func files(below folder: String) throws -> [(path: String, size: Int)] {
        let found = FileManager.default.enumerator(
            at: URL(filePath: folder), includingPropertiesForKeys: [.fileSizeKey, .isRegularFileKey])
        guard let found else { throw EndToEndError("cannot be read: \(folder)") }
        var files: [(path: String, size: Int)] = []
        for case let file as URL in found {
            let values = try file.resourceValues(forKeys: [.fileSizeKey, .isRegularFileKey])
            if values.isRegularFile == true { files.append((file.path, values.fileSize ?? 0)) }
        }
        return files.sorted { $0.size > $1.size }
    }
}

extension TestDevice {
    /// The blobs of this device, largest first.
    var blobs: [(path: String, size: Int)] { get throws { try Damage.files(below: "\(state)/content") } }

    /// Mounts by the command line and returns its outcome, for starts expected to fail or to print a message.
    func tryStart(cloud: String, _ options: [String] = []) async throws -> ProgramOutcome {
        try await ubiquity(["mount", mount, "--state", state, "--device", name, "--cloud", cloud] + options)
    }
}

extension TestCloud {
    var chunks: [(path: String, size: Int)] {
        get throws { try Damage.files(below: "\(directory)/containers/CloudDocs/chunks") }
    }

    func entry(_ number: Int) -> String {
        let text = String(number)
        return "\(directory)/containers/CloudDocs/log/000000/" + String(repeating: "0", count: 9 - text.count) + text
    }
}

extension TestDevice {
    /// A failure on this device, as `ubiquity status --json` reports it.
    struct Failure: Decodable {
        let message: String
        let path: String?
        let advice: String?
    }

    func failures() async throws -> [Failure] {
        struct Mount: Decodable {
            let mount: String
            let errors: [Failure]?
        }
        struct Answer: Decodable { let mounts: [Mount] }
        let text = try await ubiquity(["status", "--json"]).text()
        let mounts = try JSONDecoder().decode(Answer.self, from: Data(text.utf8)).mounts
        return mounts.first { $0.mount == mount }?.errors ?? []
    }
}
