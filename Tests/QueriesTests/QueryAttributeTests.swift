import CloudModel
import Queries
import Testing

@Suite("Names of query attributes")
struct QueryAttributeTests {
    @Test("A fact of a document's state has its short name, its own name and Apple's name")
    func facts() {
        for name in ["status", "downloadingStatus", "NSMetadataUbiquitousItemDownloadingStatusKey"] {
            #expect(QueryAttribute(name: name) == .fact(.downloadingStatus))
        }
        for name in ["isUploaded", "NSMetadataUbiquitousItemIsUploadedKey"] {
            #expect(QueryAttribute(name: name) == .fact(.isUploaded))
        }
        for name in ["isExcluded", "isExcludedFromSync"] {
            #expect(QueryAttribute(name: name) == .fact(.isExcludedFromSync))
        }
        #expect(QueryAttribute.fact(.downloadingStatus).name == "status")
        #expect(QueryAttribute.fact(.isExcludedFromSync).name == "isExcluded")
    }

    @Test("Every fact can be queried by its name", arguments: DocumentFact.allCases)
    func everyFact(fact: DocumentFact) { #expect(QueryAttribute(name: fact.rawValue) == .fact(fact)) }
}
