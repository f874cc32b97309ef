import Testing

/// Checks dependencies against the table of layers in CONTRIBUTING.md, the highest layer first. The manifest has the dependencies.
@Suite("Layers")
struct LayerTests {
    /// Returns the folders below Sources of each row of the table. A folder includes all modules in it.
    private static func layers() throws -> [[String]] {
        let document = try #require(
            Repository.files(ending: ["CONTRIBUTING.md"]).first { $0.path == "CONTRIBUTING.md" })
        let start = try #require(document.lines.firstIndex { $0.hasPrefix("| layer | folder |") })
        return document.lines[(start + 2)...].prefix { $0.hasPrefix("|") }.map { row in
            let cells = row.split(separator: "|", omittingEmptySubsequences: false)
            guard cells.count > 2 else { return [] }
            return cells[2].matches(of: /`([^`]+)`/).map { String($0.1) }
        }
    }

    @Test("every module of Sources is in one row of the table, and depends on none of a higher row")
    func downwards() throws {
        let layers = try Self.layers()
        try #require(layers.count > 5 && layers.allSatisfy { !$0.isEmpty })
        let modules = try Manifest.current().modules.filter { $0.path.hasPrefix("Sources/") && !$0.servesTests }
        var places: [String: Int] = [:]
        for module in modules {
            let path = module.path.dropFirst("Sources/".count)
            let rows = layers.indices.filter { row in
                layers[row].contains { path == $0 || path.hasPrefix("\($0)/") }
            }
            #expect(rows.count == 1, "\(module.name) stands in \(rows.count) rows of the table of layers")
            places[module.name] = rows.first
        }
        for module in modules {
            guard let own = places[module.name] else { continue }
            for dependency in module.dependencies {
                guard let other = places[dependency], other < own else { continue }
                Issue.record("\(module.name) depends on \(dependency), which stands above it in the table of layers")
            }
        }
    }
}
