import Basics
package import DaemonProtocol

/// A transfer as a single line: `↑ Documents/a.mov   [██████      ]  48 %  1.2 of 2.5 GiB`.
package struct ProgressBar {
    package let transfer: TransferStatus

    package init(transfer: TransferStatus) { self.transfer = transfer }

    /// The completed fraction from 0 to 1; an empty file counts as complete.
    var fraction: Double {
        guard transfer.totalBytes > 0 else { return 1 }
        return min(1, Double(transfer.completedBytes) / Double(transfer.totalBytes))
    }

    package var percent: Int { Int((fraction * 100).rounded(.down)) }

    private var arrow: String { transfer.direction == .upload ? "↑" : "↓" }

    private var amounts: String { "\(ByteCount(transfer.completedBytes)) of \(ByteCount(transfer.totalBytes))" }

    /// Returns the line, of at most `width` columns.
    package func line(width: Int, _ style: TextStyle) -> String {
        let barWidth = min(24, max(4, width / 4))
        let tail = "\(leftPadded("\(percent)", 3)) %" + (width < 60 ? "" : "  \(amounts)")
        let room = max(1, width - barWidth - tail.count - 5)
        let label = shortened(printable(transfer.path.description), to: room)
        let full = Int((fraction * Double(barWidth)).rounded(.down))
        let bar = String(repeating: "█", count: full) + String(repeating: "░", count: barWidth - full)
        let padding = String(repeating: " ", count: max(0, room - label.count))
        return "\(arrow) \(label)\(padding)  \(style.busy(bar)) \(tail)"
    }

    /// The line for output other than a terminal.
    package var plainLine: String { "\(arrow) \(printable(transfer.path.description)) \(percent) % (\(amounts))" }
}

/// Returns a text shortened in the middle: the start names the folder, the end the document.
package func shortened(_ text: String, to width: Int) -> String {
    guard text.count > width else { return text }
    guard width > 2 else { return String("…".prefix(width)) }
    let head = (width - 1) / 2
    return "\(text.prefix(head))…\(text.suffix(width - 1 - head))"
}

private func leftPadded(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(0, width - text.count)) + text
}
