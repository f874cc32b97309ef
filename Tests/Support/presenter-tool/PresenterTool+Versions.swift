import Foundation
import Synchronization
import Ubiquity

extension PresenterTool {
    /// Walks through the history of a document, restores its oldest version and removes the rest.
    static func versions(_ url: URL) throws {
        guard let current = NSFileVersion.currentVersionOfItem(at: url) else { throw CocoaError(.fileNoSuchFile) }
        say("current of \(current.localizedNameOfSavingComputer ?? "unknown")")
        let distant = try nonlocal(url)
        say("\(NSFileVersion.otherVersionsOfItem(at: url)?.count ?? -1) here, \(distant.count) in the cloud")
        guard let oldest = distant.last else { return }
        var error: NSError?
        NSFileCoordinator().coordinate(readingItemAt: oldest.url, error: &error) { found in
            say("read \((try? contents(found)) ?? "nothing")")
        }
        say("\(NSFileVersion.otherVersionsOfItem(at: url)?.count ?? -1) here, \(try nonlocal(url).count) in the cloud")
        let again = NSFileVersion.version(itemAt: url, forPersistentIdentifier: oldest.persistentIdentifier)
        say(
            "\(again?.hasLocalContents == true ? "found" : "lost"), \(again?.isDiscardable == true ? "discardable" : "kept")"
        )
        NSFileCoordinator().coordinate(writingItemAt: url, options: .forReplacing, error: &error) { target in
            do { try oldest.replaceItem(at: target) } catch { say("not replaced: \(error)") }
        }
        say("now \(try contents(url))")
        do { try NSFileVersion.removeOtherVersionsOfItem(at: url) } catch { say("not removed") }
        say("\(NSFileVersion.otherVersionsOfItem(at: url)?.count ?? -1) here")
        if let error { say("error \(error)") }
    }

    /// Replaces the document with its first conflict version, and resolves that version.
    static func resolve(_ url: URL) throws {
        let versions = NSFileVersion.unresolvedConflictVersionsOfItem(at: url) ?? []
        guard let version = versions.first else { return say("no conflict") }
        say("\(versions.count) of \(version.localizedNameOfSavingComputer ?? "unknown")")
        var error: NSError?
        NSFileCoordinator().coordinate(writingItemAt: url, options: .forReplacing, error: &error) { target in
            do {
                try version.replaceItem(at: target)
                say("took its place")
                version.isResolved = true
            } catch { say("not replaced: \(error)") }
        }
        if let error { say("error \(error)") }
        say("\(NSFileVersion.unresolvedConflictVersionsOfItem(at: url)?.count ?? -1) left")
    }

    /// Returns the text of a file, or the names in a package.
    private static func contents(_ url: URL) throws -> String {
        guard try url.resourceValues(forKeys: [.isDirectoryKey]).isDirectory == true else {
            return try String(contentsOf: url, encoding: .utf8)
        }
        return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted().joined(separator: " ")
    }

    private static func nonlocal(_ url: URL) throws -> [NSFileVersion] {
        let done = DispatchSemaphore(value: 0)
        let box = Answer()
        NSFileVersion.getNonlocalVersionsOfItem(at: url) { versions, error in
            box.value.withLock { $0 = error.map { .failure($0) } ?? .success(versions ?? []) }
            done.signal()
        }
        done.wait()
        return try box.value.withLock { $0 }?.get() ?? []
    }
}

/// A completion handler's result.
private final class Answer: Sendable {
    let value = Mutex<Result<[NSFileVersion], any Error>?>(nil)
}
