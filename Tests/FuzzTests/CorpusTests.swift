import Foundation
import Testing

/// The fuzzers' initial and found inputs, decoded again.
@Suite("Inputs of the fuzzers")
struct CorpusTests {
    private static let corpus = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Corpus")

    private static func inputs(of target: FuzzTarget) throws -> [(name: String, bytes: [UInt8])] {
        let folder = corpus.appending(path: target.name)
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            (name, Array(try Data(contentsOf: folder.appending(path: name))))
        }
    }

    @Test("every stored input ends in a value or an error, and violates no rule", arguments: FuzzTarget.all.map(\.name))
    func kept(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        for input in try Self.inputs(of: target) {
            // After a crash only the output printed before it remains.
            print("\(name)/\(input.name)")
            #expect(throws: Never.self, "\(name)/\(input.name)") { try target.decode(input.bytes) }
        }
    }

    @Test("a fuzzer starts from real encodings: each is stored and decodes", arguments: FuzzTarget.all.map(\.name))
    func seeds(name: String) throws {
        let target = try #require(FuzzTarget.named(name))
        let kept = Set(try Self.inputs(of: target).map(\.bytes))
        let seeds = try target.seeds()
        #expect(try seeds.contains { try target.decode($0) }, "no seed means anything")
        #expect(seeds.allSatisfy(kept.contains), "`make fuzz` writes the new seeds to the corpus")
    }

    @Test("a decoder that violates a rule is detected")
    func violation() {
        #expect(throws: Violation.self) { try Violation.unless(false, "broken") }
    }
}
