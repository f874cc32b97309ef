import Testing

@testable import LocalMetadata

@Suite("What is asked again and again")
struct QueueQueryTests {
    /// One line of EXPLAIN QUERY PLAN (sqlite.org/eqp.html).
    private struct PlanStep: ColumnDecodable {
        let text: String
        init(columns: Columns) { text = columns.text(3) }
    }

    @Test("every question of the engine's loops is answered by its own index, never by reading the tree")
    func plans() throws {
        let scratch = try Scratch()
        for (query, index) in QueueQueries.all {
            // How a question is answered does not depend on what is asked for.
            let bound = query.replacing("?", with: "1")
            let steps: [PlanStep] = try scratch.metadata.read { try $0.fetchAll("EXPLAIN QUERY PLAN \(bound)") }
            let plan = steps.map(\.text)
            #expect(plan.contains { $0.contains(" \(index)") }, "\(query) is answered by \(plan)")
        }
    }
}
