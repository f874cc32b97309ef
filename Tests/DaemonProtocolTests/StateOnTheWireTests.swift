import CloudModel
import DaemonProtocol
import FoundationEssentials
import Testing

/// The expected texts were written by a release with a stored property for each fact in its messages.
@Suite("A document's state on the wire")
struct StateOnTheWireTests {
    private static let item = """
        {"conflictOf":{"base64":"Q2xvdWREb2NzL2NhZuk="},"container":"CloudDocs","downloadRequested":false,\
        "downloadingStatus":"downloaded","effectivePin":"lazy","hasUnresolvedConflicts":false,"isDownloading":false,\
        "isExcludedFromSync":false,"isSyncPaused":false,"isUploaded":false,"isUploading":false,"itemID":"8000",\
        "kind":"package","path":"CloudDocs/Documents/Übung \\"1\\".txt","percentDownloaded":100,"percentUploaded":100,\
        "pin":"keep","size":1099511627776,"uploadingError":{"advice":"Sync it first.","code":"notUploaded","errno":16,\
        "message":"the item is not in the cloud yet","path":"/m/a"},"version":"12.0"}
        """

    private static let found = """
        {"conflictOf":"CloudDocs/Documents/Übung \\"1\\".txt","container":"CloudDocs","contentType":"com.apple.package",\
        "created":"1970-01-01T00:00:00.000Z","downloadRequested":false,"downloadingStatus":"downloaded",\
        "hasUnresolvedConflicts":false,"isDownloading":false,"isExcludedFromSync":false,"isInDocuments":true,\
        "isSyncPaused":false,"isUploaded":true,"isUploading":false,"item":17,"kind":"package",\
        "modified":"2023-11-14T22:13:20.000Z","path":{"base64":"Q2xvdWREb2NzL2NhZuk="},"percentDownloaded":100,\
        "percentUploaded":100,"size":1099511627776,"tags":["a"],"uploadingError":"the disk is full"}
        """

    private func text(_ value: some Encodable) throws -> String {
        String(decoding: try ControlFrame.payload(value), as: UTF8.self)
    }

    private func decode<Message: Decodable>(_ type: Message.Type, _ text: String) throws -> Message {
        try ControlFrame.decode(type, from: Data(text.utf8))
    }

    @Test("The fields of messages are the same as in earlier releases")
    func fields() throws {
        #expect(try text(Samples.item) == Self.item)
        #expect(try decode(ItemStatus.self, Self.item) == Samples.item)
        #expect(try text(Samples.found) == Self.found)
        #expect(try decode(FoundItem.self, Self.found) == Samples.found)
    }

    @Test("Each fact is decoded as it was encoded", arguments: DocumentFact.allCases)
    func everyFact(fact: DocumentFact) throws {
        var state = DocumentState(downloading: .current, isUploaded: false, percentUploaded: 7)
        switch fact.field {
        case .flag(let path): state[keyPath: path] = true
        case .percentage(let path): state[keyPath: path] = 12.5
        case .downloading(let path): state[keyPath: path] = .notDownloaded
        case .error(let path): state[keyPath: path] = "no room"
        }
        let found = FoundItem(Samples.found.details, state)
        #expect(try decode(FoundItem.self, text(found)).state == state)
        let item = ItemStatus(path: .root, kind: .file, state: state, itemID: "1", container: "c")
        #expect(try decode(ItemStatus.self, text(item)).state == state)
        #expect(item.failure(fact)?.message == (fact.kind == .error ? "no room" : nil))
    }

    @Test("A fact that an older daemon does not send has its default value", arguments: DocumentFact.allCases)
    func missing(fact: DocumentFact) throws {
        let pattern = try Regex("\"\(fact.rawValue)\":(\\w+|\"[^\"]*\"),")
        let older = Self.found.replacing(pattern, with: "")
        if fact == .isUploaded || fact == .downloadingStatus {
            #expect(throws: DecodingError.self) { try decode(FoundItem.self, older) }
        } else {
            #expect(try decode(FoundItem.self, older).state[fact] == Samples.found.state[fact])
        }
    }
}
