import Basics
import DaemonProtocol

/// What `ubiquity diagnose --claims` prints: each claimed item, and below it who holds it and who waits for it.
enum ClaimsReport {
    private struct Document: Encodable {
        let format: Int
        let mounts: [Mount]
    }

    private struct Mount: Encodable {
        let mount: String
        let items: [ClaimedItem]
    }

    static func print(_ path: String?, json: Bool) throws {
        let mounts = try MountSelection(path.map { [$0] } ?? [], .current()).groups.map(ask)
        if json { return Swift.print(try StatusJSON.text(Document(format: StatusJSON.format, mounts: mounts))) }
        for mount in mounts { Swift.print(text(mount)) }
    }

    private static func ask(_ group: MountSelection.Group) throws -> Mount {
        var connection = try DaemonConnection.open(group.record)
        guard case .claims(let answer) = try connection.call(.claims(ClaimsRequest())) else {
            throw DaemonConnection.unexpectedAnswer(group.record)
        }
        return Mount(mount: group.record.mount, items: answer.items)
    }

    private static func text(_ mount: Mount) -> String {
        guard !mount.items.isEmpty else { return "\(mount.mount): nobody coordinates." }
        let lines = mount.items.flatMap { item in
            ["  \(printable(item.path.description))"]
                + (item.claims.map(line) + item.presenters.map(line)).map { "    " + $0 }
        }
        return ([mount.mount] + lines).joined(separator: "\n")
    }

    private static func line(_ presenter: PresenterStatus) -> String {
        let questions = presenter.unanswered == 1 ? "a question" : "\(presenter.unanswered) questions"
        let state =
            presenter.isSilent ? ", does not answer" : presenter.unanswered > 0 ? ", has \(questions) to answer" : ""
        return
            "presenter \(presenter.presenter): \(printable(presenter.program)) (pid \(presenter.pid)) shows it\(state)"
    }

    private static func line(_ claim: ClaimStatus) -> String {
        let who = "\(printable(claim.program)) (pid \(claim.pid))\(claim.isStopped ? ", stopped" : "")"
        let since = "for \(Int(clamping: claim.seconds)) s"
        return switch claim.stage {
        case .granted: "claim \(claim.claim): \(who) \(claim.mode == .read ? "reads" : "writes") \(since)"
        case .asking: "claim \(claim.claim): \(who) has waited \(since) for presenters, to \(claim.mode.rawValue)"
        case .waiting:
            "claim \(claim.claim): \(who) has waited \(since) to \(claim.mode.rawValue), behind "
                + claim.waitsFor.map { "claim \($0)" }.joined(separator: ", ")
        }
    }
}
