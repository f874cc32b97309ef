import Basics
import CloudModel
import Foundation
import Glibc
import LocalMetadata
import Synchronization

/// Deaths in the middle of something. At a commit the folder is copied as a crash would leave it; what the device goes on to do is
/// thrown away with it, and the copy is started.
extension SimulatedDevice {
    /// Says where in what follows the device dies, and keeps what there was then.
    final class CrashPoint: Sendable {
        private struct State {
            /// Commits that are let pass; each is passed twice, before and after it is in the file.
            var remaining: Int?
            var keep: (@Sendable () throws -> Void)?
            var result: Result<Void, any Error>?
        }

        private let state = Mutex(State())

        func arm(_ passes: Int, keep: @escaping @Sendable () throws -> Void) {
            state.withLock { $0 = State(remaining: passes, keep: keep, result: nil) }
        }

        func pass() {
            let keep = state.withLock { state -> (@Sendable () throws -> Void)? in
                guard let count = state.remaining else { return nil }
                state.remaining = count == 0 ? nil : count - 1
                return count == 0 ? state.keep : nil
            }
            guard let keep else { return }
            let result = Result { try keep() }
            state.withLock { $0.result = result }
        }

        /// Whether what goes on now is what a dead process would not have done.
        var isPassed: Bool { state.withLock { $0.result != nil } }

        /// Whether the point was reached.
        func disarm() throws -> Bool {
            let result = state.withLock { state in
                defer { state = State() }
                return state.result
            }
            try result?.get()
            return result != nil
        }
    }

    /// Runs `body` and dies at its commit number `passes`; where there are fewer commits, after it. Answers whether it was
    /// inside, so that nothing in `body` was acknowledged.
    func dying(at passes: Int, in body: () throws -> Void) throws -> Bool {
        let copy = directory + ".crash"
        // SQLite makes its index of the write-ahead log anew; without the log itself the commits in it are gone.
        let leftOut = cloud.bug == .lostCommits ? ["-shm", "-wal"] : ["-shm"]
        crashPoint.arm(passes) { [directory] in try copyFolder(directory, to: copy, without: leftOut) }
        try body()
        let isInside = try crashPoint.disarm()
        try crash()
        if isInside {
            try FileManager.default.removeItem(atPath: directory)
            try check("rename \(copy)") { Glibc.rename(copy, directory) }
        }
        return isInside
    }
}

/// Copies files and folders with their times, but those whose names end in one of `leftOut`.
private func copyFolder(_ source: String, to target: String, without leftOut: [String]) throws {
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    for name in try FileManager.default.contentsOfDirectory(atPath: source)
    where !leftOut.contains(where: name.hasSuffix) {
        let (from, to) = ("\(source)/\(name)", "\(target)/\(name)")
        var info = stat()
        try check("lstat") { lstat(from, &info) }
        if info.st_mode & S_IFMT == S_IFDIR {
            // The store makes its shards anew, so only those that hold something are worth a copy.
            let isEmpty = try info.st_nlink == 2 && FileManager.default.contentsOfDirectory(atPath: from).isEmpty
            if !isEmpty {
                try copyFolder(from, to: to, without: leftOut)
            }
        } else {
            try copyFile(from, to: to, info)
        }
    }
}

private func copyFile(_ source: String, to target: String, _ info: stat) throws {
    guard let bytes = FileManager.default.contents(atPath: source) else { throw Errno(EIO, "read \(source)") }
    let descriptor = Int32(try check("create \(target)") { open(target, O_WRONLY | O_CREAT | O_TRUNC, 0o600) })
    defer { close(descriptor) }
    try bytes.withUnsafeBytes { buffer in
        var written = 0
        while written < buffer.count {
            written += Int(
                try check("write") {
                    write(descriptor, buffer.baseAddress?.advanced(by: written), buffer.count - written)
                })
        }
    }
    var times = [info.st_atim, info.st_mtim]
    try check("futimens") { futimens(descriptor, &times) }
}
