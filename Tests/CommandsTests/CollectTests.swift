import Basics
import Commands
import DaemonProtocol
import FoundationEssentials
import Testing

extension CommandTests {
    private static let collected = CollectedContainer(
        container: "CloudDocs", storedChunks: 5, storedBytes: 4_096, garbageChunks: 2, garbageBytes: 1_024,
        removedChunks: 1, removedBytes: 2_048)

    private func collecting(_ containers: [CollectedContainer]) -> ScriptedHandler {
        ScriptedHandler { request in
            if request.call is CollectRequest { return DaemonResponse(CollectResponse(containers: containers)) }
            return DaemonResponse(StatusResponse(mount: .sample()))
        }
    }

    @Test("collect shows for each container what is stored, needed, garbage and removed, and when a proposal was made")
    func collect() async throws {
        let proposed = CollectedContainer(
            container: "com.example.notes", storedBytes: 10, garbageBytes: 20,
            proposedSince: WireTime(Timestamp(seconds: 1_700_000_000)))
        let handler = collecting([Self.collected, proposed])
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["collect", "--dry-run"], daemon)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(
                outcome.output == """
                    CloudDocs: 2.0 KiB removed, 4.0 KiB stored, 3.0 KiB needed, 1.0 KiB garbage.
                    com.example.notes: 10 B stored, 0 B needed, 20 B garbage. Proposed 2023-11-14 22:13:20; run this \
                    again a day later to free it.

                    """)
            #expect(handler.requests.contains(DaemonRequest(CollectRequest(dryRun: true))))
        }
    }

    @Test("collect --json has a format, and a container that could not be collected gives the exit status")
    func collectJSON() async throws {
        struct Document: Decodable {
            struct Mount: Decodable { let cloud: String, containers: [CollectedContainer] }
            let format: Int
            let mounts: [Mount]
        }
        let failed = CollectedContainer(container: "b", failure: DaemonFailure(.offline, "the cloud is offline"))
        try await FakeDaemon.with(collecting([Self.collected, failed])) { daemon in
            let outcome = try await ubiquity(["collect", "--json", "--cloud", "/c"], daemon)
            #expect(outcome.status == 4)
            let document = try JSONDecoder().decode(Document.self, from: Data(outcome.output.utf8))
            #expect(document.format == 1)
            #expect(document.mounts.first?.cloud == "file:///c")
            #expect(document.mounts.first?.containers == [Self.collected, failed])
        }
    }

    @Test("collect refuses a cloud that no mount uses, and says how to mount it")
    func collectElsewhere() async throws {
        let handler = collecting([])
        try await FakeDaemon.with(handler) { daemon in
            let outcome = try await ubiquity(["collect", "--cloud", "/elsewhere"], daemon)
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("ubiquity mount --cloud file:///elsewhere"))
            #expect(!handler.requests.contains { $0.call is CollectRequest })
        }
    }
}
