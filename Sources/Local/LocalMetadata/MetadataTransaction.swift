import GRDB

/// A read or write transaction on the metadata; the verbs are in extensions, a file per noun.
package struct MetadataTransaction {
    let db: Database
    let memory = TransactionMemory()
    init(_ db: Database) { self.db = db }
}
