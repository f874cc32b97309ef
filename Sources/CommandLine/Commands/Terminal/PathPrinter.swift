import DaemonProtocol
import Glibc

/// Prints paths a line each: for eyes without control characters, for programs byte by byte as they are.
struct PathPrinter {
    private let record: MountRecord
    private let isForEyes: Bool
    private let end: UInt8

    /// - Parameter endsWithNull: Ends each path with a NUL byte, the only one that no path has, rather than a line.
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
        // A reader that is gone ends the program with the next flush.
        for byte in line { putchar(Int32(byte)) }
    }
}
