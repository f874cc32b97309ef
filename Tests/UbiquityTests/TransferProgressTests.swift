import CloudModel
import Testing

@testable import Ubiquity

@Suite("Progress of a document's transfers")
struct TransferProgressTests {
    private typealias Figures = TransferProgress.Figures

    private func state(_ change: (inout DocumentState) -> Void) -> DocumentState {
        var state = DocumentState(downloading: .notDownloaded, isUploaded: true)
        state.size = 1_000
        change(&state)
        return state
    }

    private func downloading(_ percent: Double) -> DocumentState {
        state { ($0.isDownloading, $0.percentDownloaded) = (true, percent) }
    }

    @Test("a download is published when it begins, updated, and complete when the document is here")
    func download() {
        var progress = TransferProgress()
        #expect(progress.handle(state { _ in }) == [])
        #expect(progress.handle(downloading(0)) == [.publish(Figures(.download, 0, of: 1_000))])
        #expect(progress.handle(downloading(0)) == [])
        #expect(progress.handle(downloading(45.67)) == [.update(Figures(.download, 45.67, of: 1_000))])
        #expect(Figures(.download, 45.67, of: 1_000).completed == 456)
        #expect(progress.handle(state { $0.downloading = .current }) == [.unpublish(isComplete: true)])
        #expect(progress.handle(state { $0.downloading = .current }) == [])
    }

    @Test("a transfer that fails, or whose daemon or document is gone, is unpublished and not complete")
    func failure() {
        for next in [nil, state { $0.downloadingError = "no" }] {
            var progress = TransferProgress()
            _ = progress.handle(downloading(50))
            #expect(progress.handle(next) == [.unpublish(isComplete: false)])
        }
    }

    @Test("an upload after a download is another progress, and so is a content of another size")
    func others() {
        let upload = state {
            ($0.downloading, $0.isUploading, $0.isUploaded, $0.percentUploaded) = (.current, true, false, 10)
        }
        var progress = TransferProgress()
        _ = progress.handle(downloading(50))
        let publish = TransferProgress.Action.publish(Figures(.upload, 10, of: 1_000))
        #expect(progress.handle(upload) == [.unpublish(isComplete: true), publish])
        var larger = upload
        larger.size = 2_000
        let second = TransferProgress.Action.publish(Figures(.upload, 10, of: 2_000))
        #expect(progress.handle(larger) == [.unpublish(isComplete: false), second])
    }

    @Test("percentages and sizes that another device may report stay in range")
    func extremes() {
        for percent in [-1, 0, 100, 101, .infinity, .nan, .greatestFiniteMagnitude] {
            for size in [0, 1, UInt64(Int64.max), .max] {
                let figures = Figures(.download, percent, of: size)
                #expect((0...figures.total).contains(figures.completed))
            }
        }
    }
}
