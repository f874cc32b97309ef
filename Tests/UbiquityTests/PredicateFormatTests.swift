import Foundation
import Testing
import Ubiquity

@Suite("Predicates and queries of the library")
struct PredicateFormatTests {
    @Test("a format string is parsed with its arguments, and a wrong one gives the position of the error")
    func formats() throws {
        _ = try NSPredicate(
            metadataFormat: "%K LIKE[cd] '*.txt' AND %K > %@ AND %K IN %@",
            arguments: [
                NSMetadataItemFSNameKey, NSMetadataItemFSContentChangeDateKey, Date(), NSMetadataItemFSSizeKey, [1, 2],
            ])
        let error = #expect(throws: NSError.self) { _ = try NSPredicate(metadataFormat: "size LIKE 'x'") }
        #expect(error?.localizedDescription.contains("character 6") == true)
        #expect(!NSPredicate(format: "nonsense").evaluate(with: nil))
    }

    @Test("a query with an invalid predicate does not start, and its properties keep their values")
    func properties() {
        let query = NSMetadataQuery()
        query.predicate = NSPredicate(format: "size LIKE 'x'")
        query.searchScopes = [NSMetadataQueryUbiquitousDocumentsScope]
        query.sortDescriptors = [NSSortDescriptor(key: NSMetadataItemFSNameKey, ascending: true)]
        query.notificationBatchingInterval = -1
        #expect(!query.start() && !query.isStarted && query.resultCount == 0)
        #expect(query.notificationBatchingInterval == 0 && query.searchScopes.count == 1)
    }
}
