import LocalMetadata
import TestSupport
import Testing

@testable import VirtualFileSystem

@Suite("The recorder of closes")
struct EditRecorderTests {
    private func close(_ number: Int) -> EditRecorder.Close {
        EditRecorder.Close(
            file: OpenFile(node: NodeID(UInt64(number))), number: number, record: EditRecord(endsWriting: true))
    }

    /// A close missing from every list keeps its file open forever.
    @Test("each close is returned with its claim once, whatever happens to the transactions and the files")
    func claims() {
        for seed in 0..<200 {
            var random = SeededGenerator(seed: UInt64(seed))
            var recorder = EditRecorder()
            var (added, returned, committed): ([EditRecorder.Close], [Int], Set<Int>) = ([], [], [])
            var taken: [EditRecorder.Close]?
            for number in 1...300 {
                switch random.number(0..<8) {
                case 0...2:
                    added.append(close(number))
                    _ = recorder.add(added[added.count - 1])
                case 3 where taken == nil: taken = recorder.take()
                case 4:
                    guard let closes = taken.take() else { break }
                    let isCommitted = random.number(0..<2) == 0
                    recorder.end(isCommitted: isCommitted)
                    if isCommitted { committed.formUnion(closes.map(\.number)) }
                case 5:
                    let pending = added.filter { recorder.isPending($0.file) }
                    if let file = pending.last?.file {
                        let progress = recorder.withdraw(file)
                        #expect(progress != .recorded)
                    }
                case 6:
                    if let file = recorder.waiting.first?.file {
                        returned += recorder.giveUp(file).map { [$0.number] } ?? []
                    }
                default: returned += recorder.takeSettled().map(\.number)
                }
                #expect(recorder.isEmpty == (recorder.waiting.isEmpty && taken?.isEmpty != false))
                for close in added where committed.contains(close.number) { #expect(!recorder.isPending(close.file)) }
            }
            if taken != nil { recorder.end(isCommitted: false) }
            _ = recorder.take()
            recorder.end(isCommitted: true)
            returned += recorder.takeSettled().map(\.number)
            #expect(returned.sorted() == added.map(\.number))
            #expect(recorder.isEmpty)
        }
    }

    @Test("a close withdrawn before, during and after its transaction says how far that was")
    func progress() {
        var recorder = EditRecorder()
        let closes = (1...4).map(close)
        for close in closes { _ = recorder.add(close) }
        var progress = [recorder.withdraw(closes[0].file)]
        var taken = [recorder.take().map(\.number)]
        progress.append(recorder.withdraw(closes[1].file))
        var isReplaced = [recorder.replace(EditRecord(), of: closes[2].file)]
        recorder.end(isCommitted: false)
        isReplaced.append(recorder.replace(EditRecord(), of: closes[2].file))
        progress.append(recorder.withdraw(closes[2].file))
        taken.append(recorder.take().map(\.number))
        recorder.end(isCommitted: true)
        progress.append(recorder.withdraw(closes[3].file))
        #expect(progress == [.waiting, .unknown, .unknown, .recorded])
        #expect(taken == [[2, 3, 4], [4]])
        #expect(isReplaced == [false, true])
        let settled = recorder.takeSettled().map(\.number)
        #expect(settled.sorted() == [1, 2, 3, 4])
    }

    @Test("the first of the waiting closes starts the timer, and the last that may wait does not wait")
    func timer() {
        var recorder = EditRecorder()
        let actions = (1...EditRecorder.limit).map { recorder.add(close($0)) }
        #expect(actions.first == .startTimer && actions.last == .record)
        #expect(actions.dropFirst().dropLast().allSatisfy { $0 == .none })
        _ = recorder.take()
        recorder.end(isCommitted: true)
        let whileRunning = recorder.add(close(0))
        recorder.timerEnded()
        let afterwards = recorder.add(close(1))
        #expect(whileRunning == .none && afterwards == .startTimer)
    }
}
