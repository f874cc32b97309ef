import CloudModel
import CloudStorage
import DirectoryCloud
import Foundation
import SystemPackage
import TestSupport
import Testing

/// A directory writable by others, as on a shared disk.
@Suite("Directories that were tampered with", .timeLimit(.minutes(10)))
struct HostileDirectoryTests {
    @Test("A FIFO, folder, socket or link in place of an entry is damage, and does not block the reader")
    func kinds() async throws {
        try await withFolder { folder in
            let cloud = try await newCloud(folder.appending("cloud"))
            _ = try await cloud.append([1], to: .cloudDocs)
            let entry = folder.appending("cloud").entry(2)
            let secret = folder.appending("secret")
            run(["cp", folder.appending("cloud").entry(1).string, secret.string])
            let plants: [[String]] = [
                ["mkfifo", entry.string], ["mkdir", entry.string], ["ln", "-s", secret.string, entry.string],
                [
                    "python3", "-c", "import socket,sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])",
                    entry.string,
                ],
            ]
            for plant in plants {
                #expect(run(plant), "\(plant)")
                await expectCloudError(.damaged) {
                    _ = try await cloud.entries(in: .cloudDocs, after: LogSequence(1), limit: 9)
                }
                run(["rm", "-rf", entry.string])
            }
            #expect(try await cloud.wholeLog(of: .cloudDocs).count == 1)
        }
    }

    @Test("An entry or a chunk whose claimed length exceeds the limit is refused before memory is allocated for it")
    func lengths() async throws {
        try await withFolder { folder in
            let root = folder.appending("cloud")
            let cloud = try await newCloud(root)
            _ = try await cloud.append([1], to: .cloudDocs)
            try await cloud.putChunk(try chunkID(7), frame: [1], in: .cloudDocs)
            for (file, length) in [(root.entry(1), 1 << 30), (try root.chunk(7), 1 << 30), (root.entry(1), 17 << 20)] {
                var bytes = try file.read()
                withUnsafeBytes(of: UInt64(length).littleEndian) { bytes.replaceSubrange(8..<16, with: $0) }
                try file.write(bytes)
                #expect(run(["truncate", "-s", "\(length + 20)", file.string]))
            }
            await expectCloudError(.damaged) { _ = try await cloud.entries(in: .cloudDocs, after: .zero, limit: 9) }
            await expectCloudError(.damaged) { _ = try await cloud.getChunk(try chunkID(7), in: .cloudDocs) }
        }
    }

    @Test(
        "A link in place of a folder is not followed: nothing outside is read or written", arguments: ["chunks", "log"])
    func links(_ name: String) async throws {
        try await withFolder { folder in
            let root = folder.appending("cloud")
            let cloud = try await newCloud(root)
            _ = try await cloud.append([1], to: .cloudDocs)
            let place = root.appending("containers/CloudDocs/\(name)").string
            let elsewhere = folder.appending("elsewhere").string
            #expect(run(["mv", place, elsewhere]) && run(["ln", "-s", elsewhere, place]))
            let before = try FileManager.default.subpathsOfDirectory(atPath: elsewhere)
            await #expect(throws: CloudError.self) {
                if name == "chunks" {
                    try await cloud.putChunk(try chunkID(7), frame: [1], in: .cloudDocs)
                } else {
                    _ = try await cloud.append([2], to: .cloudDocs)
                }
            }
            #expect(try FileManager.default.subpathsOfDirectory(atPath: elsewhere) == before)
        }
    }
}
