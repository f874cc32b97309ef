import Basics
import CloudModel
import CloudStorage
import ContainerLog
import DirectoryCloud
import Foundation
import Logging
import SystemPackage
import TestSupport
import Testing

@testable import Maintenance

@Suite("Reading a whole log of a cloud that went back", .timeLimit(.minutes(1)))
struct LogReaderTests {
    private func batch(_ number: UInt64, _ device: UInt64) throws -> [UInt8] {
        try ChangeBatch(
            device: DeviceID(device), deviceName: "a", deviceSequence: number, time: .zero,
            changes: [.setValue(key: "k", value: [UInt8(number)], time: .zero)]
        ).encoded()
    }

    private func append(_ numbers: ClosedRange<UInt64>, by device: UInt64, to cloud: DirectoryBackend) async throws {
        for number in numbers { _ = try await cloud.append(try batch(number, device), to: .cloudDocs) }
    }

    /// Runs `body` with a connected cloud in a directory, and a copy of it from before entries 5 to 8.
    private func withCopy(_ body: (DirectoryBackend, _ path: String, _ copy: String) async throws -> Void) async throws
    {
        let path = "\(NSTemporaryDirectory())/log-reader-\(UUID().uuidString)"
        defer {
            for directory in [path, path + "-copy"] { try? FileManager.default.removeItem(atPath: directory) }
        }
        let cloud = try await connect(path)
        try await cloud.createContainer(.cloudDocs)
        try await append(1...4, by: 1, to: cloud)
        try FileManager.default.copyItem(atPath: path, toPath: path + "-copy")
        try await append(5...8, by: 1, to: cloud)
        try await body(cloud, path, path + "-copy")
    }

    private func connect(_ path: String) async throws -> DirectoryBackend {
        let cloud = DirectoryBackend(
            path: FilePath(path), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
        _ = try await cloud.connect(create: true)
        return cloud
    }

    /// Returns the numbers of the entries, and the first that does not follow its predecessor.
    private func read(_ cloud: DirectoryBackend) async throws -> (numbers: [UInt64], damaged: Int, firstBreak: UInt64?)
    {
        var (reader, numbers, damaged) = (LogReader(cloud, .cloudDocs), [UInt64](), 0)
        while let entry = try await reader.next() {
            if case .damaged = entry.content { damaged += 1 }
            numbers.append(entry.sequence.value)
        }
        return (numbers, damaged, reader.firstBreak?.value)
    }

    @Test("a log that is shorter than it was ends where it ends, and no entry of it is damaged")
    func shorter() async throws {
        try await withCopy { cloud, path, copy in
            #expect(try await read(cloud).numbers == Array(1...8))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.moveItem(atPath: copy, toPath: path)
            let found = try await read(cloud)
            #expect(found.numbers == Array(1...4))
            #expect(found.damaged == 0 && found.firstBreak == nil)
        }
    }

    @Test("the first entry of a second history is named by its number, and the entries behind it are read")
    func mixed() async throws {
        try await withCopy { _, path, copy in
            try await append(1...3, by: 2, to: try await connect(copy))
            // As a file synchroniser does that takes the newer file: entries 5 to 7 of the copy, and 8 of the cloud.
            let rsync = Process()
            rsync.executableURL = URL(filePath: "/bin/cp")
            rsync.arguments = ["-a", copy + "/.", path]
            try rsync.run()
            rsync.waitUntilExit()
            let found = try await read(try await connect(path))
            #expect(found.numbers == Array(1...8))
            #expect(found.damaged == 0 && found.firstBreak == 8)
        }
    }
}
