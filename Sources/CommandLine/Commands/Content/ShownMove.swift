import Basics
import DaemonProtocol
import DocumentMoves
import Glibc

/// A move between a machine and its mounts, as ``DocumentMove`` performs it, with its progress and its errors. Names need not be UTF-8.
struct ShownMove {
    let source: [UInt8]
    let target: [UInt8]

    init(from source: [UInt8], to target: [UInt8]) {
        (self.source, self.target) = (source, target)
    }

    /// Returns the path in an existing folder under the source's name; otherwise the path itself.
    static func target(of source: [UInt8], at destination: [UInt8]) -> [UInt8] {
        let slash = UInt8(ascii: "/")
        var status = stat()
        guard stat(cString(destination), &status) == 0, status.st_mode & S_IFMT == S_IFDIR,
            let name = source.split(separator: slash).last
        else { return destination }
        return destination + (destination.last == slash ? [] : [slash]) + name
    }

    /// Runs `body` while no other coordinating program reads or writes the document.
    static func holding(
        _ path: MountPath, _ options: [AccessOption], _ connection: inout DaemonConnection,
        _ body: () throws(CommandFailure) -> Void
    ) throws(CommandFailure) {
        let access = WantedAccess(path: path, mode: .write, options: options)
        _ = try connection.call(AccessRequest(accesses: [access], purpose: nil, timeout: nil))
        let claim = connection.lastID
        // The end of the connection would release the claim as well.
        defer { _ = try? connection.call(FinishRequest(claim: claim)) }
        try body()
    }

    func run() throws(CommandFailure) {
        let move = DocumentMove(from: source, to: target)
        let (from, to) = (text(source), text(target))
        var display = MoveDisplay(path: from)
        do throws(Errno) {
            try move.copyToPlace { display.show($0, of: $1) }
            display.clear()
        } catch {
            display.clear()
            throw failure(error, from, to)
        }
        do throws(Errno) { try move.removeOriginal() } catch {
            throw CommandFailure(
                .failed, "it was copied to \(printable(to)), but not removed: \(reason(error))", path: from)
        }
    }

    private func failure(_ error: Errno, _ from: String, _ to: String) -> CommandFailure {
        switch error.code {
        case EEXIST:
            CommandFailure(
                .refused, "the destination already exists", path: to,
                advice: "Choose another destination, or remove it first.")
        case EBUSY:
            CommandFailure(
                .failed, "a program changed it while it was copied; nothing was changed", path: from,
                advice: "Close the program, then try again.")
        case EOPNOTSUPP:
            CommandFailure(.refused, "devices and sockets cannot be moved; nothing was changed", path: from)
        default:
            CommandFailure(
                .failed, "cannot move it to \(printable(to)): \(reason(error)); nothing was changed", path: from)
        }
    }

    private func reason(_ error: Errno) -> String { String(cString: strerror(error.code)) }
    private func text(_ path: [UInt8]) -> String { String(decoding: path, as: UTF8.self) }
}

/// The progress of a move taking longer than two seconds.
private struct MoveDisplay {
    private let path: String
    private var display = LiveDisplay()
    private var next = ContinuousClock.now + .seconds(2)

    init(path: String) { self.path = path }

    mutating func show(_ done: UInt64, of all: UInt64) {
        let now = ContinuousClock.now
        guard now >= next else { return }
        // Without a terminal each line stays.
        next = now + (Terminal.isInteractive ? .milliseconds(200) : .seconds(10))
        let percent = all > 0 ? Int(Double(done) / Double(all) * 100) : 100
        display.show(["Copying \(printable(path)): \(percent) % (\(ByteCount(done)) of \(ByteCount(all)))"])
    }

    mutating func clear() { display.clear() }
}

/// Returns the bytes as a C string.
func cString(_ path: [UInt8]) -> [CChar] { path.map { CChar(bitPattern: $0) } + [0] }
