import Foundation
import Testing

enum Simulator {
    /// The path of the optimised program, or nil if there is none.
    static let path = ProcessInfo.processInfo.environment["SIMULATOR"]
    /// Whether the program is required, as in CI. A run of a single suite may do without it.
    static let isDemanded = ProcessInfo.processInfo.environment["CI"] != nil
}

/// Runs thousands of histories with the optimised program, built by `make test` and named in `SIMULATOR`.
@Suite("Thousands of simulated histories", .serialized, .enabled(if: Simulator.path != nil || Simulator.isDemanded))
struct CampaignTests {
    /// Runs the program and returns its output and exit status.
    private func simulate(_ arguments: String...) throws -> (text: String, status: Int32) {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(filePath: try #require(Simulator.path))
        process.arguments = arguments
        (process.standardOutput, process.standardError) = (output, output)
        try process.run()
        let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
        process.waitUntilExit()
        print(text)
        return (text, process.terminationStatus)
    }

    @Test(
        "fixed histories succeed, and those that are run twice have the same digest",
        arguments: [
            (1, 400, 40), (2, 400, 40), (3, 400, 40), (4, 600, 60), (5, 120, 20), (6, 1_000, 60), (7, 600, 30),
            (8, 300, 30),
        ])
    func kept(vocabulary: Int, count: Int, twice: Int) throws {
        let run = try simulate(
            "--histories", "\(count)", "--twice", "\(twice)", "--failures", "20", "--vocabulary", "\(vocabulary)")
        #expect(run.text.hasPrefix("\(count) histories"))
        #expect(run.status == 0, "\(run.text)")
    }

    /// Fixed seeds only prove that those seeds pass. A failure prints its replay command. A retry of the test runs the
    /// same histories, because `scripts/test` chooses the first seed.
    @Test(
        "new histories succeed, in containers that ignore case and with states that come back, too",
        arguments: [(6, 100), (5, 50), (7, 100)])
    func fresh(vocabulary: Int, count: Int) throws {
        let start = ProcessInfo.processInfo.environment["FRESH_START"] ?? "random"
        let run = try simulate(
            "--histories", "\(count)", "--start", start, "--failures", "5", "--vocabulary", "\(vocabulary)")
        #expect(run.text.hasPrefix("\(count) histories"))
        #expect(run.status == 0, "\(run.text)")
    }

    @Test("3,000 new histories of collections of garbage succeed")
    func collections() throws {
        let start = ProcessInfo.processInfo.environment["FRESH_START"] ?? "random"
        let run = try simulate("--collections", "--histories", "3000", "--start", start)
        #expect(run.text.contains(" 3000 histories"))
        #expect(run.status == 0, "\(run.text)")
    }

    @Test("3,000 new histories of shared databases succeed")
    func databases() throws {
        let start = ProcessInfo.processInfo.environment["FRESH_START"] ?? "random"
        let run = try simulate("--databases", "--histories", "3000", "--start", start)
        #expect(run.text.contains(" 3000 histories"))
        #expect(run.status == 0, "\(run.text)")
    }

    @Test("each deliberate mistake is detected")
    func mistakes() throws {
        let run = try simulate("--prove")
        #expect(run.status == 0, "\(run.text)")
        #expect(run.text.contains("found in"))
    }
}
