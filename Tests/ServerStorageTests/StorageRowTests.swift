import Foundation
import Testing

@testable import ServerStorage

@Suite("Rows of a server's database")
struct StorageRowTests {
    private let row = StorageRow(
        columns: ["number", "name", "bytes", "nothing"],
        values: [.integer(300), .text("anna"), .bytes(Data([1, 2])), .null])

    @Test("columns are read by their names and places, and null as nil")
    func read() throws {
        #expect(try row["number"] == Int64(300))
        #expect(try row[1] == "anna")
        #expect(try row["bytes"] == Data([1, 2]))
        #expect(try row["nothing"] as Int64? == nil)
        #expect(try row["number"] as Int64? == 300)
    }

    @Test("a column that is absent, null, of another type or out of range throws damaged instead of ending the process")
    func damaged() {
        let reads: [() throws -> Void] = [
            { _ = try row["other"] as Int64 }, { _ = try row[4] as Int64 }, { _ = try row[-1] as Int64? },
            { _ = try row["nothing"] as Int64 }, { _ = try row["name"] as Int64 }, { _ = try row["name"] as Int64? },
            { _ = try row["bytes"] as String }, { _ = try row["number"] as UInt8 },
        ]
        for read in reads {
            #expect {
                try read()
            } throws: {
                ($0 as? StorageError)?.code == .damaged
            }
        }
    }
}
