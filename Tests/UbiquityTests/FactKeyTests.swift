import Basics
import CloudModel
import DaemonProtocol
import Foundation
import Testing

@testable import Ubiquity

@Suite("Facts of a document's state in the library")
struct FactKeyTests {
    private var state: DocumentState {
        var state = DocumentState(downloading: .downloaded, isUploaded: false, percentUploaded: 40)
        for case .error(let path) in DocumentFact.allCases.map(\.field) { state[keyPath: path] = "no room" }
        return state
    }

    @Test("The keys of facts are those of Foundation")
    func foundation() {
        let keys: [(DocumentFact, URLResourceKey)] = [
            (.downloadingStatus, .ubiquitousItemDownloadingStatusKey),
            (.isDownloading, .ubiquitousItemIsDownloadingKey),
            (.downloadRequested, .ubiquitousItemDownloadRequestedKey),
            (.downloadingError, .ubiquitousItemDownloadingErrorKey), (.isUploaded, .ubiquitousItemIsUploadedKey),
            (.isUploading, .ubiquitousItemIsUploadingKey), (.uploadingError, .ubiquitousItemUploadingErrorKey),
            (.hasUnresolvedConflicts, .ubiquitousItemHasUnresolvedConflictsKey),
        ]
        for (fact, key) in keys { #expect(URLResourceKey(fact) == key) }
        #expect(
            URLResourceKey.ubiquitousItemIsExcludedFromSyncKey.rawValue == "NSURLUbiquitousItemIsExcludedFromSyncKey")
        #expect(URLResourceKey.ubiquitousItemPercentUploadedKey.rawValue == "NSURLUbiquitousItemPercentUploadedKey")
    }

    @Test("Each fact is a resource value, if it was requested", arguments: DocumentFact.allCases)
    func resourceValues(fact: DocumentFact) throws {
        let item = ItemStatus(path: .root, kind: .file, state: state, itemID: "1", container: "c")
        var values = UbiquitousItemValues()
        values.take(item, [URLResourceKey(fact)], URL(filePath: "/m"))
        #expect(Set(values.allValues.keys) == [URLResourceKey(fact)])
        let value = values.allValues[URLResourceKey(fact)]
        switch fact.field {
        case .flag(let path): #expect(value as? Bool == state[keyPath: path])
        case .percentage(let path): #expect(value as? Double == state[keyPath: path])
        case .downloading: #expect(value as? URLUbiquitousItemDownloadingStatus == .downloaded)
        case .error: #expect(value is NSError)
        }
        #expect(URLResourceKey.observableUbiquityKeys.contains(URLResourceKey(fact)) == fact.isObservable)
        #expect(URLResourceKey.ubiquitousKeys.contains(URLResourceKey(fact)))
    }

    @Test("Each fact is an attribute of query results, by each of its names", arguments: DocumentFact.allCases)
    func metadataItem(fact: DocumentFact) throws {
        let details = FoundItem.Details(
            item: 1, path: .root, kind: .file, contentType: "public.data", modified: WireTime(.zero),
            created: WireTime(.zero), container: "c", isInDocuments: true)
        let item = NSMetadataItem(FoundItem(details, state), root: "/m")
        #expect(fact.queryNames.first.map(item.attributes.contains) == true)
        for name in fact.queryNames {
            let value = item.value(forAttribute: name)
            switch fact.field {
            case .flag(let path): #expect(value as? Bool == state[keyPath: path])
            case .percentage(let path): #expect(value as? Double == state[keyPath: path])
            case .downloading: #expect(value as? String == NSMetadataUbiquitousItemDownloadingStatusDownloaded)
            case .error: #expect(value is NSError)
            }
        }
    }
}
