import DaemonProtocol
import Glibc

/// Prints a path per line: without control characters on a terminal, and byte by byte for programs.
struct PathPrinter {
    private let record: MountRecord
    private let isForEyes: Bool
    private let end: UInt8

    /// - Parameter endsWithNull: Whether each path ends with a NUL byte, the only byte excluded from paths, rather than
    ///   with a line break.
    init(record: MountRecord, endsWithNull: Bool = false) {
        self.record = record
        isForEyes = !endsWithNull && isatty(STDOUT_FILENO) == 1
        end = endsWithNull ? 0 : UInt8(ascii: "\n")
    }

    func print(_ path: MountPath, after mark: String = "") {
        guard !isForEyes else { return Swift.print(mark + record.display(path)) }
        var line = Array((mark + record.mount).utf8)
        if !path.isRoot { line += [UInt8(ascii: "/")] + path.bytes }
        line.append(end)
        // If the reader is gone, the next flush ends the program.
        for byte in line { putchar(Int32(byte)) }
    }
}
