import Foundation

/// The status reported by a device about its documents. Paths are relative to the documents folder.
extension TestDevice {
    package func path(_ name: String) -> String { name.isEmpty ? documents : "\(documents)/\(name)" }

    /// Returns the value of the attribute `user.ubiquity.KEY`; nil if the document has no such attribute.
    package func attribute(_ key: String, of name: String) async throws -> String? {
        let outcome = try await run("getfattr", "--only-values", "-n", "user.ubiquity.\(key)", "--", path(name))
        if outcome.succeeded { return outcome.output }
        guard outcome.errors.contains("No such attribute") else { throw EndToEndError("\(outcome)") }
        return nil
    }

    package func setAttribute(_ key: String, to value: String, of name: String) async throws -> ProgramOutcome {
        try await run("setfattr", "-n", "user.ubiquity.\(key)", "-v", value, "--", path(name))
    }

    /// A document as reported by `ubiquity status --json`.
    package struct Status: Decodable, Sendable {
        package let packageTypes: [String]?
        package let kind: String
        package let size: Int
        package let downloadingStatus: String
        package let isUploaded: Bool
        package let hasUnresolvedConflicts: Bool
        package let isExcludedFromSync: Bool
        package let itemID: String
        package let container: String
        package let pin: String
        package let effectivePin: String
        package let version: String?
        package let device: String?
    }

    package func status(_ name: String) async throws -> Status {
        struct Response: Decodable { let items: [Status] }
        let text = try await ubiquity(["status", "--json", path(name)]).text()
        let items = try JSONDecoder().decode(Response.self, from: Data(text.utf8)).items
        guard let status = items.first else { throw EndToEndError("no status of \(name): \(text)") }
        return status
    }

    /// Waits until all changes of this device are in the cloud.
    package func sync(limit: Duration = ProgramRunner.defaultLimit) async throws {
        try await ubiquity(["sync", "--wait", "--timeout", "\(limit.components.seconds)", mount], limit: limit * 2)
            .text()
    }

    package func download(_ names: String...) async throws {
        try await ubiquity(["download", "--wait"] + names.map(path)).text()
    }

    package func evict(_ names: String...) async throws {
        try await ubiquity(["evict"] + names.map(path)).text()
    }

    /// Returns the names in a folder, sorted by their bytes.
    package func list(_ name: String = "") async throws -> [String] {
        try await run("find", path(name), "-mindepth", "1", "-maxdepth", "1", "-printf", "%f\\n").lines().sorted()
    }

    package func contents(_ name: String) async throws -> String { try await run("cat", path(name)).text() }
}
