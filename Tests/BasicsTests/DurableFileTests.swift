import Basics
import Foundation
import Glibc
import Testing

@Suite("Files that are replaced atomically")
struct DurableFileTests {
    private let old = Array("the old content".utf8)
    private let new = Array("the new content, which is longer".utf8)

    private func file(_ disk: FakeDisk, temporary: String? = nil) -> DurableFile {
        DurableFile("folder/file", temporary: temporary, calls: disk)
    }

    @Test(
        "when the call returns, the new content is on the disk and no other file is left",
        arguments: [nil, "folder/file.new"])
    func replaced(temporary: String?) throws {
        let disk = FakeDisk(["folder/file": old])
        try file(disk, temporary: temporary).replace(with: new)
        #expect(disk.afterLossOfPower(keepingUnsynced: false) == ["folder/file": new])
        #expect(disk.afterLossOfPower(keepingUnsynced: true) == ["folder/file": new])
    }

    @Test("a call that fails leaves the old or the new content, and no temporary file", arguments: 0..<8)
    func failing(step: Int) throws {
        let disk = FakeDisk(["folder/file": old])
        disk.failure = (step, ENOSPC)
        let error = #expect(throws: Errno.self) { try file(disk).replace(with: new) }
        #expect(error?.code == ENOSPC)
        // Steps: open, four writes, fsync, rename; then open of the folder.
        #expect(disk.visible == ["folder/file": step < 7 ? old : new])
        #expect(disk.openFiles == 0)
    }

    @Test("a loss of power at any call leaves the old or the new content, never a part of it", arguments: 0..<10)
    func lossOfPower(step: Int) throws {
        for isKept in [false, true] {
            let disk = FakeDisk(["folder/file": old])
            disk.powerLoss = step
            _ = try? file(disk).replace(with: new)
            let found = disk.afterLossOfPower(keepingUnsynced: isKept)["folder/file"]
            #expect(found == old || found == new)
        }
    }

    @Test("system calls that a signal interrupts are retried", arguments: 0..<9)
    func interrupted(step: Int) throws {
        let disk = FakeDisk(["folder/file": old])
        disk.failure = (step, EINTR)
        try file(disk).replace(with: new)
        #expect(disk.afterLossOfPower(keepingUnsynced: false) == ["folder/file": new])
    }

    @Test("a write that writes no bytes is an error, not an endless loop")
    func stuck() {
        let disk = FakeDisk(["folder/file": old])
        disk.bytesPerWrite = 0
        #expect(throws: Errno(EIO)) { try file(disk).replace(with: new) }
        #expect(disk.visible == ["folder/file": old])
    }

    @Test("a file system that cannot sync folders is not an error")
    func folderSync() throws {
        let disk = FakeDisk(["folder/file": old])
        disk.failure = (8, EINVAL)
        try file(disk).replace(with: new)
        #expect(disk.visible == ["folder/file": new])
    }

    @Test("a leftover temporary file is replaced")
    func leftover() throws {
        let disk = FakeDisk(["folder/file": old, "folder/file.new": Array("a leftover".utf8)])
        try file(disk, temporary: "folder/file.new").replace(with: new)
        #expect(disk.visible == ["folder/file": new])
    }

    @Test(
        "on a real file system the file has its content and mode, and no other file is left", arguments: [true, false])
    func real(isSynced: Bool) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "durable-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try createDirectories("\(folder)/a/b")
        for content in [old, [], new] {
            try DurableFile("\(folder)/a/b/file").replace(with: content, isSynced: isSynced)
            #expect(FileManager.default.contents(atPath: "\(folder)/a/b/file").map(Array.init) == content)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(folder)/a/b") == ["file"])
        var status = stat()
        try check("stat") { stat("\(folder)/a/b/file", &status) }
        #expect(status.st_mode & 0o7777 == 0o600)
        #expect(throws: Errno(ENOENT)) { try DurableFile("\(folder)/absent/file").replace(with: new) }
    }
}
