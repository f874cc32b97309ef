import Basics
import Commands
import DaemonProtocol
import Testing

extension CommandTests {
    private static let until = WireTime(Timestamp(seconds: 1_700_000_000))

    private func purging(_ answer: PurgeDeletedResponse) -> ScriptedHandler {
        ScriptedHandler { request in
            if request.call is PurgeDeletedRequest { return DaemonResponse(answer) }
            return DaemonResponse(StatusResponse(mount: .sample()))
        }
    }

    @Test("deleted --purge counts first, and removes nothing that was deleted after that")
    func purge() async throws {
        let handler = purging(PurgeDeletedResponse(items: 2, bytes: 2_048, unsent: 0, until: Self.until))
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["deleted", "--purge", "--older-than", "7d", "--yes"], daemon)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.output == "Removed 2 deleted items (2.0 KiB with earlier versions) for good.\n")
            let asked = handler.requests.compactMap { $0.call as? PurgeDeletedRequest }
            #expect(asked.map(\.dryRun) == [true, false] && asked.map(\.until) == [nil, Self.until])
            #expect(asked.allSatisfy { $0.olderThan == 604_800 })
        }
    }

    @Test("deleted --purge removes nothing that was not confirmed, and says how many wait for their deletion")
    func purgeRefused() async throws {
        let handler = purging(PurgeDeletedResponse(items: 1, bytes: 10, unsent: 3, until: Self.until))
        try await FakeDaemon.with(handler) { daemon in
            let refused = try await ubiquity(["deleted", "--purge"], daemon)
            #expect(refused.status == 6 && refused.errors.contains("add --yes"), "\(refused)")
            #expect(handler.requests.compactMap { $0.call as? PurgeDeletedRequest }.map(\.dryRun) == [true])
            let outcome = try await ubiquity(["deleted", "--purge", "--yes", "--json"], daemon)
            #expect(outcome.status == 1 && outcome.output.contains("\"unsent\" : 3"), "\(outcome)")
            #expect(outcome.errors.contains("3 items stayed"), "\(outcome)")
        }
    }
}
