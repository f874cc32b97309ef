import Basics
package import DaemonProtocol

/// The output of `ubiquity status` for people. Pure.
package enum StatusText {
    package static func lines(_ report: MountReport, _ style: TextStyle) -> [String] {
        switch report.outcome {
        case .success(let status): lines(status, style)
        case .failure(let failure):
            [style.bold(report.mount), field("Daemon", style.bad(summary(failure, of: report)), style)]
        }
    }

    /// An unresponsive daemon ends the command with the whole failure, so the text has only the problem.
    private static func summary(_ failure: CommandFailure, of report: MountReport) -> String {
        guard report.record != nil, failure.status == .notAnswering else { return failure.description }
        return failure.causes.map(\.message).joined(separator: ", ")
    }

    package static func lines(_ status: MountStatus, _ style: TextStyle) -> [String] {
        var lines = [
            style.bold(status.mount),
            field("Cloud", "\(status.cloud.url) (\(reachability(status, style)))", style),
            field("Queue", queue(status, style), style),
            field("Device", device(status.device), style),
            field("Daemon", "pid \(status.pid), state in \(status.state)", style),
            field("Local", cache(status.cache), style),
        ]
        if !status.containers.isEmpty {
            lines.append(field("Containers", status.containers.joined(separator: ", "), style))
        }
        if status.conflicts > 0 {
            let text = "\(counted(status.conflicts, "document")): ubiquity conflicts \(status.mount)"
            lines.append(field("Conflicts", style.warning(text), style))
        }
        if let limits = status.limits { lines.append(field("Limits", rates(up: limits.up, down: limits.down), style)) }
        if let metered = status.metered { lines.append(field("Network", network(metered, style), style)) }
        for refused in status.refusedPrograms ?? [] {
            lines.append(field("Refused", style.warning(text(refused)), style))
        }
        lines += status.transfers.map { "  " + ProgressBar(transfer: $0).plainLine }
        lines += status.errors.map { "  " + style.bad(printable($0.description)) }
        return lines
    }

    /// Returns the output of `--watch`: a summary line, then bars for as many transfers as fit on a screen.
    static func watched(_ status: MountStatus, _ style: TextStyle) -> [String] {
        let width = Terminal.width
        let cloud =
            status.cloud.state == .online && status.cloud.reason == nil ? "" : ", cloud \(reachability(status, style))"
        let network = status.metered == .wait ? ", \(style.warning("waiting, as the network is metered"))" : ""
        let shown = status.transfers.prefix(15)
        let more = status.transfers.count - shown.count
        return ["\(style.bold(status.mount)): \(queue(status, style))\(cloud)\(network)"]
            + shown.map { Terminal.isInteractive ? ProgressBar(transfer: $0).line(width: width, style) : plain($0) }
            + (more > 0 ? ["… and \(more) more"] : [])
    }

    /// Returns the output while a command waits on a terminal; empty without a terminal.
    static func progress(_ status: MountStatus) -> [String] {
        Terminal.isInteractive ? watched(status, Terminal.style) : []
    }

    /// `restoring 200 of 1,000 items`.
    package static func line(_ work: WorkStatus) -> String {
        "\(work.what) \(work.completedItems) of \(counted(work.totalItems, "item"))"
    }

    /// `up 500 KiB/s, down without a limit`.
    static func rates(up: UInt64?, down: UInt64?) -> String {
        func text(_ rate: UInt64?) -> String { rate.map { "\(ByteCount($0))/s" } ?? "without a limit" }
        return "up \(text(up)), down \(text(down))"
    }

    /// The metered-network policy for people, as a clause.
    static func sentence(_ onMetered: OnMetered) -> String {
        switch onMetered {
        case .wait: "uploads and background downloads wait"
        case .continue: "uploads and background downloads continue"
        }
    }

    private static func network(_ metered: OnMetered, _ style: TextStyle) -> String {
        switch metered {
        case .wait: style.warning("metered: \(sentence(metered)) (ubiquity limit --on-metered continue)")
        case .continue: "metered: \(sentence(metered))"
        }
    }

    private static func text(_ refused: RefusedProgram) -> String {
        let minutes = refused.seconds / 60 + (refused.seconds % 60 > 0 ? 1 : 0)
        return """
            \(printable(refused.program)) looked into many documents that are not on this device, and gets none for \
            \(counted(minutes, "minute")): ubiquity downloads --allow '\(printable(refused.program))'
            """
    }

    private static func plain(_ transfer: TransferStatus) -> String { ProgressBar(transfer: transfer).plainLine }

    private static func field(_ name: String, _ value: String, _ style: TextStyle) -> String {
        let padding = String(repeating: " ", count: max(0, 12 - name.count))
        return "  \(style.dim(name))\(padding)\(value)"
    }

    private static func reachability(_ status: MountStatus, _ style: TextStyle) -> String {
        let cloud = status.cloud
        switch cloud.state {
        case .online where cloud.reason == .refused: return style.warning("online, read-only\(kept(status.queue))")
        case .online where cloud.reason == .full:
            return style.warning(cloud.message.map { "online, but full: \($0)" } ?? "online, but full")
        case .online: return style.good("online")
        case .offline: return style.warning(cloud.message.map { "offline: \($0)" } ?? "offline")
        }
    }

    private static func device(_ device: DeviceStatus) -> String {
        let name = "\(printable(device.name)) (\(device.id))"
        guard let renewed = device.renewed else { return name }
        return "\(name), new since \(renewed.text): its state was restored from a backup, or is a copy"
    }

    private static func queue(_ status: MountStatus, _ style: TextStyle) -> String {
        guard let diverged = status.diverged, !diverged.isEmpty else { return queue(status.queue, style) }
        return style.warning(
            "not sent: the cloud does not have what this device has read of \(diverged.joined(separator: ", "))")
    }

    private static func kept(_ queue: QueueStatus) -> String {
        guard queue.pendingItems > 0 else { return "" }
        return
            "; \(counted(queue.pendingItems, "edit")) \(queue.pendingItems == 1 ? "is" : "are") kept on this device only"
    }

    package static func queue(_ queue: QueueStatus, _ style: TextStyle) -> String {
        guard !queue.isIdle else { return style.good("everything is in the cloud") }
        var parts: [String] = []
        if queue.pendingItems > 0 {
            parts.append("\(counted(queue.pendingItems, "item")) to upload (\(ByteCount(queue.pendingBytes)))")
        }
        if queue.uploads > 0 { parts.append("\(counted(queue.uploads, "upload")) running") }
        if queue.downloads > 0 { parts.append(counted(queue.downloads, "download")) }
        return style.busy(parts.joined(separator: ", "))
    }

    private static func cache(_ cache: CacheStatus) -> String {
        let limit = cache.limit.map { " of at most \(ByteCount($0))" } ?? ""
        return "\(ByteCount(cache.bytes)) of documents\(limit)"
    }
}
