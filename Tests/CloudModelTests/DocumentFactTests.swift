import CloudModel
import Testing

@Suite("Facts of a document's state")
struct DocumentFactTests {
    private var state: DocumentState {
        var state = DocumentState(downloading: .notDownloaded, isUploaded: false, percentUploaded: 12.5)
        (state.downloadingError, state.uploadingError) = ("no network", "no room")
        return state
    }

    @Test("Each fact has a value of its kind, and only errors may be absent", arguments: DocumentFact.allCases)
    func values(fact: DocumentFact) {
        switch (fact.kind, state[fact]) {
        case (.flag, .flag), (.percentage, .percentage), (.text, .text), (.error, .text): break
        default: Issue.record("\(fact) is \(String(describing: state[fact]))")
        }
        #expect((DocumentState(isUploaded: true)[fact] == nil) == (fact.kind == .error))
    }

    @Test("Names are unique, and percentages cannot be observed")
    func names() {
        #expect(Set(DocumentFact.allCases.map(\.shortName)).count == DocumentFact.allCases.count)
        let queryNames = DocumentFact.allCases.flatMap { Set($0.queryNames) }
        #expect(Set(queryNames).count == queryNames.count)
        let observable = DocumentFact.allCases.filter(\.isObservable)
        #expect(observable.count == DocumentFact.allCases.count - 2)
    }

    @Test("A file that is uploaded is uploaded to 100 %")
    func percent() {
        #expect(DocumentState(isUploaded: true, percentUploaded: 3)[.percentUploaded] == .percentage(100))
        #expect(state[.percentUploaded] == .percentage(12.5))
    }

    @Test("Of two downloading statuses, the one with fewer bytes is the worse")
    func worse() {
        #expect(DocumentState.Downloading.current.worse(.downloaded) == .downloaded)
        #expect(DocumentState.Downloading.notDownloaded.worse(.current) == .notDownloaded)
    }
}
