import Dispatch
import Foundation
import Glibc
import Testing

@testable import UbiquityData

@Suite("Observing folders")
struct FolderObserverTests {
    private let folder: DataFolder
    private let noticed = DispatchSemaphore(value: 0)
    private let observer: FolderObserver

    init() throws {
        folder = try DataFolder()
        observer = FolderObserver { [noticed] in noticed.signal() }
    }

    private func make(_ name: String) throws -> String {
        let path = "\(folder.path)/\(name)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// Returns whether a change is noticed. Earlier notifications are dropped, as far as they have come.
    private func notices(_ change: () throws -> Void) rethrows -> Bool {
        while noticed.wait(timeout: .now()) == .success {}
        try change()
        return noticed.wait(timeout: .now() + 20) == .success
    }

    @Test("files that appear, change, move and go are noticed, in each of the folders")
    func changes() throws {
        let (one, two) = (try make("one"), try make("two"))
        observer.observe([one, "\(folder.path)/none", two])
        for path in [one, two] {
            #expect(try notices { try Data("a".utf8).write(to: URL(filePath: "\(path)/file")) })
            #expect(notices { _ = rename("\(path)/file", "\(path)/other") })
            #expect(notices { _ = chmod("\(path)/other", 0o600) })
            #expect(notices { _ = unlink("\(path)/other") })
        }
    }

    @Test("a folder that was removed and made again is noticed after it is observed again")
    func again() throws {
        let path = try make("one")
        observer.observe([path])
        #expect(notices { _ = rmdir(path) })
        _ = try make("one")
        observer.observe([path])
        #expect(try notices { try Data("a".utf8).write(to: URL(filePath: "\(path)/file")) })
    }

    @Test("a folder that is no longer observed keeps no watch, and an observer that has ended can be asked again")
    func end() throws {
        let (one, two) = (try make("one"), try make("two"))
        observer.observe([one, two])
        observer.observe([two])
        #expect(try notices { try Data("a".utf8).write(to: URL(filePath: "\(two)/file")) })
        observer.stop()
        observer.observe([one])
        observer.stop()
    }
}
