import CloudModel
import DaemonProtocol
import Testing

@testable import Commands

@Suite("The table of what uses the cloud's space")
struct CloudUseTextTests {
    private func lines(_ response: StorageResponse) -> [String] { CloudUseText.lines(response, .plain) }

    private var parts: CloudUse {
        var parts = CloudUse()
        (parts.documents, parts.shared, parts.deleted, parts.unnamed, parts.log) = (4_096, 1_024, 2_048, 512, 100)
        return parts
    }

    @Test("each part says what frees it, and the sum is next to the quota")
    func server() {
        let report = CloudUseReport(parts: parts, counted: parts.total, quota: 1 << 30)
        let text = lines(StorageResponse(containers: [], cloud: report)).joined(separator: "\n")
        #expect(text.contains("several share 1.0 KiB of it, counted once"))
        #expect(text.contains("`ubiquity deleted --purge` removes them for good"))
        #expect(text.contains("free within the hour unless they continue") && text.contains("total"))
        #expect(text.hasSuffix("of the quota of 1.0 GiB are used."), "\(text)")
        #expect(!text.contains("versions --remove"), "there are none")
    }

    @Test("a directory is listed on request, and says when its space comes back")
    func directory() {
        let text = lines(
            StorageResponse(containers: [], cloud: CloudUseReport(parts: parts), isCollectedByDevices: true)
        ).joined(separator: "\n")
        #expect(text.contains("nothing needs it") && text.contains("`ubiquity collect` frees it"))
        #expect(
            lines(StorageResponse(containers: [], isCollectedByDevices: true)) == [
                "`ubiquity storage --list` shows what uses the cloud's space."
            ])
    }

    @Test("a cloud that cannot be reached is said to be that")
    func failure() {
        let failure = DaemonFailure(.offline, "the cloud cannot be reached")
        #expect(
            lines(StorageResponse(containers: [], failure: failure)) == [
                "What uses the cloud's space is not known: the cloud cannot be reached"
            ])
    }
}
