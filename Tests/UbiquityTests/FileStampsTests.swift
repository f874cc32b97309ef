import Foundation
import Testing

@testable import Ubiquity

@Suite("Changes that a move checks for before it removes the original")
struct FileStampsTests {
    @Test("a write, a new file and a removed one are detected at any depth; reading is not")
    func changes() throws {
        try inFolder { folder in
            let (inner, file) = (folder.appending(path: "d"), folder.appending(path: "d/f"))
            try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
            try Data("one".utf8).write(to: file)
            let before = try FileStamps(of: folder.path)
            _ = try Data(contentsOf: file)
            #expect(try FileStamps(of: folder.path) == before)
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data("!".utf8))
            try handle.close()
            let written = try FileStamps(of: folder.path)
            #expect(written != before)
            try Data().write(to: inner.appending(path: "g"))
            let made = try FileStamps(of: folder.path)
            #expect(made != written)
            try FileManager.default.removeItem(at: file)
            #expect(try FileStamps(of: folder.path) != made)
            #expect(throws: CocoaError.self) { _ = try FileStamps(of: file.path) }
        }
    }
}
