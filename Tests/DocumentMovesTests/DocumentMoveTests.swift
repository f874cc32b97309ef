import Basics
import CLinux
import Foundation
import Testing

@testable import DocumentMoves

@Suite("Moves between file systems")
struct DocumentMoveTests {
    private func inFolder(_ body: (String) throws -> Void) throws {
        let folder = NSTemporaryDirectory() + "/ubiquity-move-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // A remaining folder is among the temporary files.
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func bytes(_ path: String) -> [UInt8] { Array(path.utf8) }

    private func write(_ text: String, to path: String, mode: mode_t = 0o644) throws {
        try Data(text.utf8).write(to: URL(filePath: path))
        #expect(chmod(path, mode) == 0)
    }

    private func setTimes(_ path: String, _ seconds: Int) {
        let time = timespec(tv_sec: seconds, tv_nsec: 5)
        #expect(utimensat(AT_FDCWD, path, [time, time], AT_SYMLINK_NOFOLLOW) == 0)
    }

    private func status(_ path: String) -> stat {
        var status = stat()
        #expect(lstat(path, &status) == 0)
        return status
    }

    private func attribute(_ name: String, of path: String) -> String? {
        var value = [UInt8](repeating: 0, count: 100)
        let count = lgetxattr(path, name, &value, value.count)
        return count < 0 ? nil : String(decoding: value.prefix(count), as: UTF8.self)
    }

    @Test(
        "a folder keeps times, modes, tags and links at any depth; nothing hidden is left, and no program gains rights")
    func everything() throws {
        try inFolder { folder in
            let (source, target) = ("\(folder)/a", "\(folder)/b")
            for path in [source, "\(source)/d"] { #expect(mkdir(path, 0o755) == 0) }
            try write("text", to: "\(source)/d/f", mode: 0o4750)
            #expect(symlink("d/f", "\(source)/link") == 0)
            #expect(setxattr("\(source)/d/f", "user.xdg.tags", "tax", 3, 0) == 0)
            #expect(setxattr(source, "user.xdg.tags", "all", 3, 0) == 0)
            for (path, seconds) in [("d/f", 1), ("d", 2), ("link", 3)] { setTimes("\(source)/\(path)", seconds) }
            setTimes(source, 4)
            let move = DocumentMove(from: bytes(source), to: bytes(target))
            var amounts: [UInt64] = []
            try move.copyToPlace { done, all in amounts += [done, all] }
            #expect(amounts == [4, 4])
            #expect(FileManager.default.fileExists(atPath: source), "the original stays until it is removed")
            try move.removeOriginal()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["b"])
            #expect(try String(contentsOfFile: "\(target)/d/f", encoding: .utf8) == "text")
            #expect(status("\(target)/d/f").st_mode & 0o7777 == 0o750)
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: "\(target)/link") == "d/f")
            #expect(attribute("user.xdg.tags", of: "\(target)/d/f") == "tax")
            #expect(attribute("user.xdg.tags", of: target) == "all")
            for (path, seconds) in [("/d/f", 1), ("/d", 2), ("/link", 3), ("", 4)] {
                let time = status(target + path).st_mtim
                #expect(time.tv_sec == seconds && time.tv_nsec == 5, "\(path)")
            }
        }
    }

    @Test("a name that is not UTF-8 is moved as it is")
    func names() throws {
        try inFolder { folder in
            let source = bytes(folder) + [UInt8(ascii: "/"), 0xFF]
            let target = bytes(folder) + [UInt8(ascii: "/"), 0xFE, UInt8(ascii: "a")]
            #expect(mkdir(terminated(source), 0o700) == 0)
            #expect(mkdir(terminated(source + [UInt8(ascii: "/"), 0x80]), 0o555) == 0)
            let move = DocumentMove(from: source, to: target)
            try move.copyToPlace()
            try move.removeOriginal()
            #expect(FileStatus(source) == nil)
            #expect(FileStatus(target + [UInt8(ascii: "/"), 0x80])?.mode == 0o555)
        }
    }

    @Test("nothing is replaced, and nothing is left of a copy that failed")
    func refusals() throws {
        try inFolder { folder in
            let (source, target) = ("\(folder)/a", "\(folder)/b")
            try write("one", to: source)
            try write("other", to: target)
            #expect(throws: Errno(EEXIST)) { try DocumentMove(from: bytes(source), to: bytes(target)).copyToPlace() }
            #expect(throws: Errno(ENOENT)) {
                try DocumentMove(from: bytes("\(folder)/absent"), to: bytes("\(folder)/c")).copyToPlace()
            }
            #expect(throws: Errno(EBUSY)) {
                try DocumentMove(from: bytes(source), to: bytes("\(folder)/c")).copyToPlace { _, _ in
                    #expect(truncate(source, 1) == 0)
                }
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == ["a", "b"])
            #expect(try String(contentsOfFile: target, encoding: .utf8) == "other")
        }
    }

    @Test("a write, a new file and a removed one are detected at any depth; reading is not")
    func changes() throws {
        try inFolder { folder in
            let file = "\(folder)/d/f"
            #expect(mkdir("\(folder)/d", 0o755) == 0)
            try write("one", to: file)
            let before = try TreeStamps(of: bytes(folder))
            _ = try String(contentsOfFile: file, encoding: .utf8)
            #expect(try TreeStamps(of: bytes(folder)) == before)
            try write("one!", to: file)
            let written = try TreeStamps(of: bytes(folder))
            #expect(written != before)
            try write("", to: "\(folder)/d/g")
            let created = try TreeStamps(of: bytes(folder))
            #expect(created != written)
            #expect(unlink(file) == 0)
            #expect(try TreeStamps(of: bytes(folder)) != created)
        }
    }
}
