import Basics
import LocalMetadata
import Testing

@testable import VirtualFileSystem

@Suite("The closes that wait", .timeLimit(.minutes(10)))
struct ClosedFilesTests {
    private let files = ClosedFiles()

    private func add(_ nodes: Range<UInt64>) -> [WaitingClose] {
        nodes.map { node in
            let close = WaitingClose(
                of: OpenFile(node: NodeID(node)), EditRecord(endsWriting: true), since: Timestamp(seconds: 0))
            _ = files.add(close)
            return close
        }
    }

    /// A close missing from every list keeps its file open forever.
    @Test("a close that is withdrawn while the settled ones are taken is among them, now or later")
    func withdrawnMeanwhile() async {
        for _ in 0..<100 {
            let closes = add(1..<2_001)
            var settled = await withTaskGroup(of: [WaitingClose].self) { [files] group in
                group.addTask {
                    for close in closes { _ = close.withdraw() }
                    return []
                }
                group.addTask { (0..<50).flatMap { _ in files.takeSettled() } }
                return await group.reduce(into: []) { $0 += $1 }
            }
            settled += files.takeSettled()
            #expect(settled.count == closes.count)
            #expect(Set(settled.map(\.file.node)) == Set(closes.map(\.file.node)))
        }
    }
}
