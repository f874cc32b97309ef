import Foundation
import Glibc
import Synchronization
import Testing
import Ubiquity

/// A document stored as a folder of files.
private final class Album: UbiquitousDocument, @unchecked Sendable {
    private let pictures = Mutex<[String: Data]>([:])

    subscript(_ name: String) -> String? {
        get { pictures.withLock { $0[name].map { String(decoding: $0, as: UTF8.self) } } }
        set {
            pictures.withLock { $0[name] = newValue.map { Data($0.utf8) } }
            updateChangeCount(.done)
        }
    }

    override func contents(forType typeName: String) throws -> Any {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        for (name, picture) in pictures.withLock({ $0 }) {
            folder.addRegularFile(withContents: picture, preferredFilename: name)
        }
        return folder
    }

    override func load(fromContents contents: Any, ofType typeName: String?) throws {
        guard let files = (contents as? FileWrapper)?.fileWrappers else { throw CocoaError(.fileReadCorruptFile) }
        pictures.withLock { $0 = files.compactMapValues(\.regularFileContents) }
    }

    override func fileAttributesToWrite(to url: URL, for saveOperation: SaveOperation) throws -> [AnyHashable: Any] {
        [FileAttributeKey.posixPermissions: NSNumber(value: saveOperation == .forCreating ? 0o700 : 0o750)]
    }
}

@Suite("File wrappers")
struct FileWrapperTests {
    private func tree(_ url: URL) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
    }

    private func permissions(_ url: URL) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? NSNumber)?.intValue
    }

    @Test("a folder with files, folders and links is written as it was read")
    func wholeTree() throws {
        try inFolder { folder in
            let original = folder.appending(path: "a.rtfd")
            let inside = FileWrapper(directoryWithFileWrappers: [
                "empty": FileWrapper(regularFileWithContents: Data()),
                "link": FileWrapper(symbolicLinkWithDestinationURL: URL(string: "../text")!),
            ])
            let text = FileWrapper(regularFileWithContents: Data("text".utf8))
            text.fileAttributes[FileAttributeKey.posixPermissions.rawValue] = NSNumber(value: 0o600)
            let wrapper = FileWrapper(directoryWithFileWrappers: ["text": text, "inside": inside])
            try wrapper.write(to: original, options: [.atomic, .withNameUpdating], originalContentsURL: nil)
            #expect(wrapper.filename == "a.rtfd" && text.filename == "text")
            #expect(
                try tree(folder) == [
                    "a.rtfd", "a.rtfd/inside", "a.rtfd/inside/empty", "a.rtfd/inside/link", "a.rtfd/text",
                ])
            #expect(try permissions(original.appending(path: "text")) == 0o600)

            let read = try FileWrapper(url: original)
            let children = try #require(read.fileWrappers)
            #expect(read.isDirectory && !read.isRegularFile && read.preferredFilename == "a.rtfd")
            #expect(children["text"]?.regularFileContents == Data("text".utf8))
            #expect(children["inside"]?.fileWrappers?["link"]?.symbolicLinkDestinationURL?.relativePath == "../text")
            #expect(read.matchesContents(of: original))
            let copy = folder.appending(path: "b.rtfd")
            try read.write(to: copy, originalContentsURL: nil)
            #expect(read.matchesContents(of: copy))
            try Data("other".utf8).write(to: copy.appending(path: "text"))
            #expect(!read.matchesContents(of: copy))
        }
    }

    @Test("what is in the place of an atomic write is replaced, whatever it is", arguments: ["file", "folder", "link"])
    func replaces(former: String) throws {
        try inFolder { folder in
            let url = folder.appending(path: "a")
            switch former {
            case "file": try Data("former".utf8).write(to: url)
            case "link": try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: "nowhere")
            default:
                try FileManager.default.createDirectory(
                    at: url.appending(path: "x/y"), withIntermediateDirectories: true)
            }
            for wrapper in [
                FileWrapper(directoryWithFileWrappers: ["in": FileWrapper(regularFileWithContents: Data("new".utf8))]),
                FileWrapper(regularFileWithContents: Data("new".utf8)),
            ] {
                try wrapper.write(to: url, options: .atomic, originalContentsURL: nil)
                #expect(wrapper.matchesContents(of: url))
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a"])
            }
        }
    }

    @Test("a write that fails leaves the former folder, and nothing beside it", arguments: ["..", "", "a/b", "a\0b"])
    func failure(name: String) throws {
        try inFolder { folder in
            let url = folder.appending(path: "a")
            try FileWrapper(directoryWithFileWrappers: ["x": FileWrapper(regularFileWithContents: Data("1".utf8))])
                .write(to: url, originalContentsURL: nil)
            let wrapper = FileWrapper(directoryWithFileWrappers: [:])
            #expect(wrapper.addRegularFile(withContents: Data(), preferredFilename: name) == name)
            if name.isEmpty { return #expect(wrapper.fileWrappers?.isEmpty == true) }
            #expect(throws: CocoaError.self) {
                try wrapper.write(to: url, options: .atomic, originalContentsURL: nil)
            }
            #expect(try tree(folder) == ["a", "a/x"])
        }
    }

    @Test("two files with one preferred name are both in the folder")
    func sameName() {
        let folder = FileWrapper(directoryWithFileWrappers: [:])
        let (one, two) = (
            FileWrapper(regularFileWithContents: Data("1".utf8)), FileWrapper(regularFileWithContents: Data("2".utf8))
        )
        (one.preferredFilename, two.preferredFilename) = ("a", "a")
        #expect(folder.addFileWrapper(one) == "a")
        #expect(folder.addFileWrapper(two) != "a")
        #expect(folder.fileWrappers?.count == 2 && folder.keyForChildFileWrapper(one) == "a")
        folder.removeFileWrapper(one)
        #expect(folder.fileWrappers?.count == 1 && folder.keyForChildFileWrapper(one) == nil)
        #expect(one.addFileWrapper(two).isEmpty)
    }

    @Test("a pipe is an error, and no wait for its writer")
    func pipe() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.rtfd")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            #expect(mkfifo(url.appending(path: "pipe").path, 0o600) == 0)
            #expect(throws: CocoaError(.fileReadUnsupportedScheme)) { try FileWrapper(url: url) }
        }
    }

    @Test(
        "a document whose contents are a wrapper is saved as a folder in one step, with its attributes, and read again")
    func document() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.album")
            let album = Album(fileURL: url)
            (album["one"], album["two"]) = ("1", "2")
            try await album.save(to: url, for: .forCreating)
            #expect(try tree(folder) == ["a.album", "a.album/one", "a.album/two"])
            #expect(try permissions(url) == 0o700)
            (album["one"], album["two"]) = (nil, "2, edited")
            try await album.save()
            #expect(try tree(folder) == ["a.album", "a.album/two"])
            #expect(try permissions(url) == 0o750)
            // Another program changes a file without changing the folder's own time.
            try Data("2, by another program".utf8).write(to: url.appending(path: "two"))
            let later = Date(timeIntervalSinceNow: 60)
            try FileManager.default.setAttributes(
                [.modificationDate: later], ofItemAtPath: url.appending(path: "two").path)
            album.presentedItemDidChange()
            #expect(album["two"] == "2, by another program")
            try await album.close()
        }
    }
}
