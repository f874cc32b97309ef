import ArgumentParser
import Foundation
import UbiquityData

/// Measures the cost of sharing a database: the same statements with and without triggers, in turns, and publishing and
/// importing rows.
@main
struct DatabaseBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "database-bench",
        abstract: "Measure what sharing a database costs.",
        discussion:
            "Each round runs the same statements on a plain table and on a shared one. A ratio is the median of those of the rounds."
    )

    @Option(help: "How many rows.") var rows = 50_000
    @Option(help: "How many rounds.") var rounds = 7

    func validate() throws {
        guard rows > 0, rounds > 0 else { throw ValidationError("At least one row and one round.") }
    }

    func run() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "database-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer {
            // The rest is in the folder of temporary files.
            try? FileManager.default.removeItem(at: folder)
        }
        var figures: [String: [(plain: Duration, shared: Duration)]] = [:]
        var imports: [String: [Duration]] = [:]
        for round in 0..<rounds {
            let place = folder.appending(path: "\(round)")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            let measurement = try Measurement(folder: place, rows: rows, isPlainFirst: round % 2 == 0)
            for (name, pair) in try measurement.statements() { figures[name, default: []].append(pair) }
            for (name, time) in try measurement.importing() { imports[name, default: []].append(time) }
            try FileManager.default.removeItem(at: place)
        }
        print("\(rows) rows, \(rounds) rounds; medians")
        for (name, pairs) in figures.sorted(by: { $0.key < $1.key }) {
            let ratio = median(pairs.map { $0.shared / $0.plain })
            let (plain, shared) = (median(pairs.map { $0.plain }), median(pairs.map { $0.shared }))
            print("\(name): plain \(text(plain)), shared \(text(shared)), ratio \(String(format: "%.2f", ratio))")
        }
        for (name, times) in imports.sorted(by: { $0.key < $1.key }) { print("\(name): \(text(median(times)))") }
    }

    private func median<T: Comparable>(_ values: [T]) -> T { values.sorted()[values.count / 2] }

    private func text(_ time: Duration) -> String {
        String(format: "%.3f s", time / .seconds(1))
    }
}
