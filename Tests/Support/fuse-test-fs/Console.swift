import Basics
import Foundation
import Fuse
import Glibc
import Synchronization

/// Executes commands of the test, line by line: reads a command from the standard input and prints its result.
struct Console {
    let fileSystem: MemoryFileSystem
    let session: FuseSession

    /// Executes commands until the input ends.
    func run() async {
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            say(await obey(words.first ?? "", Array(words.dropFirst())))
        }
    }

    func say(_ text: String) {
        print(text)
        fflush(nil)
    }

    private func obey(_ command: String, _ words: [String]) async -> String {
        do {
            switch command {
            case "await-read": fileSystem.special.awaitArrival()
            case "await-reads":
                for _ in 0..<(words.first.flatMap { Int($0) } ?? 1) { fileSystem.special.awaitArrival() }
            case "invalidate-apart": try invalidateApart(words)
            case "connection": return session.connectionNumber.map { "\($0)" } ?? "none"
            case "transport": return session.transport.map { "\($0)" } ?? "none"
            case "release": await fileSystem.special.release(words.joined(separator: " "))
            case "release-all": await fileSystem.special.release(words.joined(separator: " "), isLasting: true)
            case "count": return count(words)
            case "offers-passthrough": return "\(session.offersPassthrough)"
            case "unmount": try await session.unmount()
            case "unmount-lazily": try await session.unmount(lazily: true)
            case "stop": try await session.stop()
            case "await-end": return "\(await session.waitUntilEnded())"
            default: try change(command, words)
            }
            return "ok"
        } catch {
            return "error: \(error)"
        }
    }

    /// Invalidates a name of the root, on a thread that may wait in the kernel. Returns once it does.
    private func invalidateApart(_ words: [String]) throws {
        let (notifier, name) = (session.notifier, Array((words.first ?? "").utf8))
        try OwnThread.detach("invalidate") {
            // Only the end of the connection ends the wait.
            try? notifier.invalidateEntry(parent: .root, name: name)
        }
        while try !isWaitingInKernel("invalidate") { usleep(1000) }
    }

    /// Whether a thread of this name sleeps uninterruptibly (proc_pid_stat(5)).
    private func isWaitingInKernel(_ name: String) throws -> Bool {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").contains { thread in
            // Threads may end meanwhile.
            let stat = try? String(contentsOfFile: "/proc/self/task/\(thread)/stat", encoding: .utf8)
            return stat?.contains("(\(name)) D") ?? false
        }
    }

    private func count(_ words: [String]) -> String {
        let sum = FuseRequestCounts.Operation.allCases.filter { words.contains("\($0)") }
            .reduce(0) { $0 + session.counts[$1] }
        return "\(sum)"
    }

    /// Executes a command on a file of the root, given by its name.
    private func change(_ command: String, _ words: [String]) throws(Errno) {
        let name = Array((words.first ?? "").utf8)
        if command == "invalidate-entry" { return try session.notifier.invalidateEntry(parent: .root, name: name) }
        let node = try fileSystem.tree.withLock { tree throws(Errno) in try tree.child(name, of: .root) }
        switch command {
        case "set":
            fileSystem.tree.withLock { $0.nodes[node]?.content = .file(Array(words[1].utf8)) }
        case "rename":
            try fileSystem.tree.withLock { tree throws(Errno) in
                try tree.move(name, from: .root, to: Array(words[1].utf8), in: .root, flags: [])
            }
        case "invalidate-inode": try session.notifier.invalidateInode(node)
        case "remove":
            try fileSystem.tree.withLock { tree throws(Errno) in
                try tree.remove(name, from: .root, folder: false)
            }
            try session.notifier.delete(parent: .root, child: node, name: name)
        default: throw Errno(EINVAL, command)
        }
    }
}
