import Foundation
import Synchronization
import Testing
import Ubiquity

/// Source as written for Apple's platforms that uses each method at least once. It must compile, and behave the same.
@Suite("The API of NSFileCoordinator and NSFilePresenter")
struct CoordinatorSurfaceTests {
    @Test("every form of coordinate runs its accessor with the requested URLs")
    func forms() throws {
        try inFolder { folder in
            let (first, second) = (folder.appending(path: "a.txt"), folder.appending(path: "b.txt"))
            let coordinator = NSFileCoordinator(filePresenter: nil)
            var error: NSError?
            coordinator.coordinate(writingItemAt: first, options: [], error: &error) { url in
                try? Data("one".utf8).write(to: url)
            }
            coordinator.coordinate(
                readingItemAt: first, options: .withoutChanges, writingItemAt: second, options: .forReplacing,
                error: &error
            ) { source, target in try? FileManager.default.copyItem(at: source, to: target) }
            var texts: [String?] = []
            coordinator.coordinate(readingItemAt: second, options: .resolvesSymbolicLink, error: &error) { url in
                texts.append(try? String(contentsOf: url, encoding: .utf8))
            }
            coordinator.coordinate(
                writingItemAt: first, options: .forMerging, writingItemAt: second,
                options: .contentIndependentMetadataOnly,
                error: &error
            ) { texts += [$0.lastPathComponent, $1.lastPathComponent] }
            coordinator.prepare(
                forReadingItemsAt: [first], options: .immediatelyAvailableMetadataOnly, writingItemsAt: [second],
                options: .forDeleting, error: &error
            ) { completion in
                coordinator.coordinate(writingItemAt: second, options: .forDeleting, error: nil) { url in
                    try? FileManager.default.removeItem(at: url)
                }
                completion()
            }
            #expect(error == nil && texts == ["one", "a.txt", "b.txt"])
            #expect(!FileManager.default.fileExists(atPath: second.path))
        }
    }

    @Test("intents are claimed together, and the accessor runs on the queue")
    func intents() throws {
        try inFolder { folder in
            let reading = NSFileAccessIntent.readingIntent(with: folder.appending(path: "a"), options: .withoutChanges)
            let writing = NSFileAccessIntent.writingIntent(with: folder.appending(path: "b"), options: .forMoving)
            let queue = OperationQueue()
            let done = DispatchSemaphore(value: 0)
            let failure = Mutex<String?>("not called")
            NSFileCoordinator().coordinate(with: [reading, writing], queue: queue) { error in
                failure.withLock {
                    $0 = error.map { "\($0)" } ?? (OperationQueue.current === queue ? nil : "elsewhere")
                }
                done.signal()
            }
            done.wait()
            #expect(failure.withLock { $0 } == nil)
            #expect([reading.url.lastPathComponent, writing.url.lastPathComponent] == ["a", "b"])
        }
    }

    @Test("a purpose is set once, and a presenter follows a move that is announced before and after")
    func moves() throws {
        try inFolder { folder in
            let coordinator = NSFileCoordinator()
            coordinator.purposeIdentifier = "com.example.move"
            coordinator.purposeIdentifier = "com.example.other"
            #expect(coordinator.purposeIdentifier == "com.example.move")
            let (old, new) = (folder.appending(path: "a.txt"), folder.appending(path: "b.txt"))
            try Data().write(to: old)
            let note = Note(old)
            note.callbacks = .didMove
            NSFileCoordinator.addFilePresenter(note)
            defer { NSFileCoordinator.removeFilePresenter(note) }
            #expect(NSFileCoordinator.filePresenters.contains { $0 === note })
            coordinator.coordinate(
                writingItemAt: old, options: .forMoving, writingItemAt: new, options: .forReplacing, error: nil
            ) { source, target in
                coordinator.item(at: source, willMoveTo: target)
                try? FileManager.default.moveItem(at: source, to: target)
                coordinator.item(at: source, didMoveTo: target)
            }
            #expect(note.wait(1) == ["moved to b.txt"])
        }
    }

    @Test("presenters are notified of attributes that a program reports as changed if they observe them, and only then")
    func attributes() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.txt")
            let (observing, own, other) = (Full(url), Full(url), Full(url))
            own.observed = []
            for presenter in [observing, own, other] { NSFileCoordinator.addFilePresenter(presenter) }
            defer { for presenter in [observing, own, other] { NSFileCoordinator.removeFilePresenter(presenter) } }
            let keys: Set<URLResourceKey> = [.ubiquitousItemIsUploadedKey, .nameKey]
            NSFileCoordinator(filePresenter: other).item(at: url, didChangeUbiquityAttributes: keys)
            #expect(observing.wait() == "attributes NSURLUbiquitousItemIsUploadedKey")
            #expect(own.heard.isEmpty && other.heard.isEmpty)
        }
    }

    @Test(
        "copies for uploading and folders for new versions are closed to other users, and copies are deleted afterwards"
    )
    func privateCopies() throws {
        try inFolder { folder in
            let (file, package) = (folder.appending(path: "a.txt"), folder.appending(path: "a.rtfd"))
            try Data("secret".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
            try FileManager.default.createDirectory(at: package, withIntermediateDirectories: true)
            for url in [file, package] {
                var error: NSError?
                var folders: [URL] = []
                NSFileCoordinator().coordinate(readingItemAt: url, options: .forUploading, error: &error) { snapshot in
                    folders.append(snapshot.deletingLastPathComponent())
                    #expect(permissions(snapshot) == 0o600 && permissions(folders[0]) == 0o700)
                }
                #expect(error == nil && folders.count == 1)
                #expect(folders.allSatisfy { !FileManager.default.fileExists(atPath: $0.path) })
            }
            let temporary = NSFileVersion.temporaryDirectoryURLForNewVersionOfItem(at: file)
            #expect(permissions(temporary) == 0o700)
            try FileManager.default.removeItem(at: temporary)
        }
    }

    private func permissions(_ url: URL) -> Int? {
        // An absent file has no permissions; the comparison in the test then fails.
        (try? FileManager.default.attributesOfItem(atPath: url.path))?[.posixPermissions] as? Int
    }

    @Test("a package for uploading is one zip file with all of its contents")
    func folderForUploading() throws {
        try inFolder { folder in
            let url = folder.appending(path: "a.rtfd")
            try FileManager.default.createDirectory(
                at: url.appending(path: "images"), withIntermediateDirectories: true)
            try Data("123456789".utf8).write(to: url.appending(path: "text"))
            try Data().write(to: url.appending(path: "images/é"))
            var error: NSError?
            var found: [ZipEntry] = []
            NSFileCoordinator().coordinate(readingItemAt: url, options: .forUploading, error: &error) { snapshot in
                #expect(snapshot.lastPathComponent == "a.rtfd.zip")
                found = ((try? Data(contentsOf: snapshot)) ?? Data()).zipEntries
            }
            #expect(error == nil)
            #expect(found.map(\.name) == ["a.rtfd/", "a.rtfd/images/", "a.rtfd/images/é", "a.rtfd/text"])
            // The check value of ISO 3309's polynomial, the CRC-32 of "123456789".
            #expect(found.last?.checksum == 0xCBF4_3926 && found.last?.bytes == Data("123456789".utf8))
        }
    }
}
