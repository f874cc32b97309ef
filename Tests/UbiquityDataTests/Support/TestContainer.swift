import Basics
import CloudModel
import Foundation
import Synchronization
import TestSupport

@testable import UbiquityData

/// A container with a single log, as several devices see it: each has a folder, sends its own changes, and receives the
/// log's entries in order, on the test's command.
final class TestContainer: Sendable {
    fileprivate enum Change: Hashable {
        case folder(String)
        case file(String, [UInt8])
        case removed(String)
    }

    private let log = Mutex<[Change]>([])

    fileprivate func append(_ changes: [Change]) { log.withLock { $0 += changes } }
    fileprivate func entries(from position: Int) -> ArraySlice<Change> { log.withLock { $0[position...] } }
}

/// The container's folder on a device.
final class TestMount: Sendable {
    private struct State {
        /// How many entries of the log this device has.
        var position = 0
        /// The paths sent or received by the device.
        var known: Set<String> = []
        var versions: [String: VersionID] = [:]
    }

    let path: String
    private let container: TestContainer
    private let state = Mutex(State())

    init(_ container: TestContainer, at path: String) throws {
        (self.container, self.path) = (container, path)
        try createDirectories(path)
    }

    func version(_ file: String) -> VersionID? {
        guard file.hasPrefix("\(path)/") else { return nil }
        return state.withLock { $0.versions[String(file.dropFirst(path.utf8.count + 1))] }
    }

    /// Sends the device's changes since the last time. A removed folder takes only known contents with it.
    func send() throws {
        let present = try contents()
        let known = state.withLock { $0.known }
        var changes: [TestContainer.Change] = []
        for path in present.subtracting(known).sorted() {
            let file = "\(self.path)/\(path)"
            var isFolder: ObjCBool = false
            guard FileManager.default.fileExists(atPath: file, isDirectory: &isFolder) else { continue }
            changes.append(
                isFolder.boolValue ? .folder(path) : .file(path, Array(try Data(contentsOf: URL(filePath: file)))))
        }
        changes += known.subtracting(present).sorted(by: >).map { .removed($0) }
        container.append(changes)
        state.withLock { $0.known = present }
    }

    /// Follows the log.
    ///
    /// - Parameter count: How many entries at most.
    func receive(_ count: Int = .max) throws {
        let position = state.withLock { $0.position }
        for (offset, change) in container.entries(from: position).prefix(count).enumerated() {
            try apply(change, VersionID(sequence: LogSequence(UInt64(position + offset + 1)), index: 0))
            state.withLock { $0.position = position + offset + 1 }
        }
    }

    func meet() throws {
        try send()
        try receive()
    }

    private func apply(_ change: TestContainer.Change, _ version: VersionID) throws {
        switch change {
        case .folder(let path):
            try createDirectories("\(self.path)/\(path)")
            state.withLock { _ = $0.known.insert(path) }
        case .file(let path, let bytes):
            let file = "\(self.path)/\(path)"
            try createDirectories(URL(filePath: file).deletingLastPathComponent().path)
            try Data(bytes).write(to: URL(filePath: file))
            state.withLock { state in
                state.versions[path] = version
                state.known.insert(path)
                for folder in path.indices.filter({ path[$0] == "/" }) { state.known.insert(String(path[..<folder])) }
            }
        case .removed(let path):
            // Fails for a folder with contents unknown to the removing device: it stays.
            _ = remove("\(self.path)/\(path)")
            let isGone = !FileManager.default.fileExists(atPath: "\(self.path)/\(path)")
            state.withLock { state in
                state.versions[path] = nil
                if isGone { state.known.remove(path) }
            }
        }
    }

    private func contents() throws -> Set<String> {
        Set(try FileManager.default.subpathsOfDirectory(atPath: path).filter { !$0.hasSuffix(".tmp") })
    }
}
