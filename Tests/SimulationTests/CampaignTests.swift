import Foundation
import Testing

enum Simulator {
    /// The optimised program, where there is one.
    static let path = ProcessInfo.processInfo.environment["SIMULATOR"]
    /// CI has to have it; a person who runs a single suite may go without.
    static let isDemanded = ProcessInfo.processInfo.environment["CI"] != nil
}

/// Thousands of histories, by the optimised program that `make test` builds and names in `SIMULATOR`.
@Suite("Thousands of histories", .serialized, .enabled(if: Simulator.path != nil || Simulator.isDemanded))
struct CampaignTests {
    /// What it printed, and how it ended.
    private func simulate(_ arguments: String...) throws -> (text: String, status: Int32) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: try #require(Simulator.path))
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        print(text)
        return (text, process.terminationStatus)
    }

    @Test("10,000 histories end well, and those of them that are lived through twice have the same digest")
    func campaign() throws {
        let run = try simulate("--histories", "10000", "--twice", "1000", "--failures", "20")
        #expect(run.text.hasPrefix("10000 histories"))
        #expect(run.status == 0, "\(run.text)")
    }

    @Test("each of the mistakes that are made on purpose is found")
    func mistakes() throws {
        let run = try simulate("--prove")
        #expect(run.status == 0, "\(run.text)")
        #expect(run.text.contains("found in"))
    }
}
