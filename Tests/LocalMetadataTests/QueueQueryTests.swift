import Testing

@testable import LocalMetadata

@Suite("Queries that run repeatedly")
struct QueueQueryTests {
    /// A line of EXPLAIN QUERY PLAN (sqlite.org/eqp.html).
    private struct PlanStep: ColumnDecodable {
        let text: String
        init(columns: Columns) { text = columns.text(3) }
    }

    @Test("every query of the engine's loops uses its own index and never scans the tree")
    func plans() throws {
        let scratch = try Scratch()
        for (query, index) in QueueQueries.all {
            // The plan of a query does not depend on its arguments.
            let bound = query.replacing("?", with: "1")
            let steps: [PlanStep] = try scratch.metadata.read { try $0.fetchAll("EXPLAIN QUERY PLAN \(bound)") }
            let plan = steps.map(\.text)
            #expect(plan.contains { $0.contains(" \(index)") }, "the plan of \(query) is \(plan)")
        }
    }
}
