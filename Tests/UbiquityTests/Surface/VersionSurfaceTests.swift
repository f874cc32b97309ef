import Foundation
import Testing
import Ubiquity

@Suite("The API of NSFileVersion")
struct VersionSurfaceTests {
    private func text(_ url: URL) throws -> String { try String(contentsOf: url, encoding: .utf8) }

    @Test(
        "a version that was added keeps its contents, and is found, restored and removed; its presenter is notified")
    func added() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("first".utf8).write(to: url)
            let presenter = Full(url)
            NSFileCoordinator.addFilePresenter(presenter)
            defer { NSFileCoordinator.removeFilePresenter(presenter) }
            let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url, options: [])
            #expect(presenter.wait() == "gained \(version.persistentIdentifier)")
            try Data("second".utf8).write(to: url)
            let found = try #require(
                NSFileVersion.version(itemAt: url, forPersistentIdentifier: version.persistentIdentifier))
            #expect(try text(found.url) == "first" && found.hasLocalContents && !found.hasThumbnail)
            #expect(!found.isConflict && found.isResolved && found.localizedName == "a.txt")
            #expect(found.localizedNameOfSavingComputer != nil && found.originatorNameComponents == nil)
            let modified = try #require(found.modificationDate)
            #expect(abs(modified.timeIntervalSinceNow) < 3600)
            #expect(NSFileVersion.otherVersionsOfItem(at: url)?.count == 1)
            #expect(try found.replaceItem(at: url, options: []) == url)
            #expect(try text(url) == "first")
            try found.replaceItem(at: url, options: .byMoving)
            #expect(presenter.wait() == "lost \(version.persistentIdentifier)")
            #expect(NSFileVersion.otherVersionsOfItem(at: url)?.isEmpty == true)
            #expect(NSFileVersion.version(itemAt: url, forPersistentIdentifier: version.persistentIdentifier) == nil)
        }
    }

    @Test("contents are moved in from the folder for new versions; all versions can be removed at once")
    func moved() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("now".utf8).write(to: url)
            let temporary = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: url)
            // Best effort: the directory is among the temporary files.
            defer { try? FileManager.default.removeItem(at: temporary) }
            for text in ["one", "two"] {
                let contents = temporary.appending(path: "new")
                try Data(text.utf8).write(to: contents)
                _ = try NSFileVersion.addOfItem(at: url, withContentsOf: contents, options: .byMoving)
                #expect(!FileManager.default.fileExists(atPath: contents.path))
            }
            let others = try #require(NSFileVersion.otherVersionsOfItem(at: url))
            #expect(try others.map { try text($0.url) } == ["two", "one"])
            #expect(try #require(NSFileVersion.currentVersionOfItem(at: url)).url == url)
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == [])
            #expect(try text(url) == "now")
        }
    }

    @Test("a package is one version, and replaces a whole package")
    func package() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.rtfd")
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            try Data("old".utf8).write(to: url.appending(path: "text"))
            let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            try Data("new".utf8).write(to: url.appending(path: "text"))
            try Data("more".utf8).write(to: url.appending(path: "other"))
            try version.replaceItem(at: url)
            #expect(try FileManager.default.contentsOfDirectory(atPath: url.path) == ["text"])
            #expect(try text(url.appending(path: "text")) == "old")
            try version.remove()
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.rtfd"])
        }
    }

    @Test("the newest ten discardable versions stay, and all that are not discardable")
    func discards() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            try Data("x".utf8).write(to: url)
            let kept = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
            kept.isDiscardable = false
            #expect(!kept.isDiscardable)
            for _ in 0..<13 {
                let version = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
                version.isDiscardable = true
                version.isDiscardable = false
                #expect(version.isDiscardable, "it cannot be taken back")
            }
            let others = try #require(NSFileVersion.otherVersionsOfItem(at: url))
            #expect(others.filter(\.isDiscardable).count == 11 && others.count == 12)
            #expect(others.last?.persistentIdentifier as? NSString == kept.persistentIdentifier as? NSString)
            try NSFileVersion.removeOtherVersionsOfItem(at: url)
        }
    }

    @Test("outside containers there are no conflicts and no cloud contents; a missing file has no versions")
    func outside() async throws {
        try await inFolder { folder in
            let url = folder.appending(path: "a.txt")
            #expect(NSFileVersion.currentVersionOfItem(at: url) == nil)
            #expect(NSFileVersion.otherVersionsOfItem(at: url) == nil)
            #expect(throws: NSError.self) { _ = try NSFileVersion.addOfItem(at: url, withContentsOf: url) }
            try Data().write(to: url)
            #expect(NSFileVersion.unresolvedConflictVersionsOfItem(at: url) == nil)
            #expect(try await NSFileVersion.nonlocalVersionsOfItem(at: url).isEmpty)
            let current = try #require(NSFileVersion.currentVersionOfItem(at: url))
            #expect(throws: NSError.self) { try current.remove() }
            current.isResolved = true
            #expect(current.isResolved && !current.isDiscardable)
        }
    }
}
