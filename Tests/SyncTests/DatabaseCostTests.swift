import Basics
import CloudModel
import DeviceSupport
import Foundation
import GRDB
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Sync

/// The cost of operations in pages and in steps of SQLite's virtual machine. `DATABASE_ITEMS=1000,100000` measures and
/// prints other sizes; with `DATABASE_IDS=random`, in a database with items created by an earlier version.
@Suite("The cost of an operation in a large database", .serialized)
struct DatabaseCostTests {
    /// Sizes of databases with printed figures.
    private static let printed = (ProcessInfo.processInfo.environment["DATABASE_ITEMS"] ?? "").split(separator: ",")
        .compactMap { Int($0) }

    @Test("figures of other sizes", .enabled(if: !printed.isEmpty))
    func figures() throws {
        print("documents\toperation\tstatements\tsteps\tread\twritten")
        for size in Self.printed {
            let isOld = ProcessInfo.processInfo.environment["DATABASE_IDS"] == "random"
            let run = try CostRun(documents: size, isOld: isOld)
            for cost in try run.measure() {
                let figures = [cost.statements, cost.steps, cost.misses, cost.writes]
                print(
                    "\(size)\t\(cost.operation)\t\(figures.map { String(format: "%.1f", $0) }.joined(separator: "\t"))")
            }
        }
    }

    @Test("neither the steps nor the pages of any operation grow with the number of items")
    func flat() throws {
        let (small, large) = (try CostRun(documents: 1_000), try CostRun(documents: 20_000))
        let pairs = zip(try small.measure(), try large.measure())
        for (small, large) in pairs {
            #expect(small.operation == large.operation)
            #expect(large.steps <= 1.5 * small.steps, "\(small) \(large)")
            #expect(large.statements <= 1.1 * small.statements, "\(small) \(large)")
            // Items have random ids, so a large tree has each on a separate page, where a small tree has several on a
            // page.
            #expect(large.misses <= 10 && large.writes <= max(16, 1.5 * small.writes), "\(small) \(large)")
            #expect(large.scans == 0, "\(large)")
        }
    }

    @Test("no statement of these operations scans a table")
    func plans() throws {
        let run = try CostRun(documents: 1_000)
        _ = try run.measure()
        let statements = run.texts.filter { $0.hasPrefix("SELECT") || $0.hasPrefix("UPDATE") || $0.hasPrefix("DELETE") }
        #expect(statements.count > 20)
        for statement in statements {
            let plan = try run.plan(of: statement)
            // Such a query ends at the first row, and that table has a single row.
            guard !statement.hasPrefix("SELECT EXISTS (SELECT 1 FROM"), !statement.contains("sqlite_sequence") else {
                continue
            }
            let scans = plan.filter { $0.contains("SCAN") && !$0.contains("CONSTANT ROW") && !$0.contains("SCAN up") }
            #expect(scans.isEmpty, "\(statement): \(plan)")
        }
    }
}
