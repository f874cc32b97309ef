import Basics
import CloudModel
import ContainerLog
import Sync
import Testing

@Suite("Names of conflict versions beside their document")
struct SiblingNameTests {
    private func name(_ name: String, taken: (ItemName) -> Bool = { _ in false }) throws -> String {
        try SiblingName.name(of: ItemName(name), from: "desk", at: .zero, taken: taken).description
    }

    @Test("The device and the time in UTC stand before the extension")
    func plain() throws {
        #expect(try name("x.txt") == "x (conflict from desk 1970-01-01 00.00.00).txt")
    }

    @Test("A taken name gets the first free number")
    func taken() throws {
        var names: Set<String> = []
        for _ in 0..<3 { names.insert(try name("x.txt") { names.contains($0.description) }) }
        #expect(
            names == [
                "x (conflict from desk 1970-01-01 00.00.00).txt", "x (conflict from desk 1970-01-01 00.00.00) 2.txt",
                "x (conflict from desk 1970-01-01 00.00.00) 3.txt",
            ])
    }

    @Test("A version keeps its name when its document is deleted")
    func heir() throws {
        let suffix = HeirName.deviceAndTime.suffix(from: "desk", at: .zero)
        let heir = NumberedName.beforeExtension.inserting(suffix, into: try ItemName("x.txt"))
        #expect(try name("x.txt") == heir.description)
    }
}
