import ArgumentParser
import DaemonProtocol

/// The tables named by the options of `ubiquity database share`, and their column declarations.
struct TableDeclarations {
    private(set) var all: [ShareDatabaseRequest.Table]
    /// Whether only the named tables are shared.
    private let isComplete: Bool

    init(named names: [String]) {
        all = names.map { ShareDatabaseRequest.Table($0) }
        isComplete = !names.isEmpty
    }

    /// - Parameter text: `TABLE:COLUMN[,COLUMN…]`.
    mutating func unify(_ text: String) throws {
        let (table, columns) = try Self.split(text, at: ":", "--unify takes TABLE:COLUMN[,COLUMN…]")
        let place = try place(of: table)
        all[place].unify = columns.split(separator: ",").map(String.init)
    }

    /// - Parameter text: `TABLE.COLUMN`.
    mutating func declare(
        _ text: String, _ option: String, _ columns: WritableKeyPath<ShareDatabaseRequest.Table, [String]>
    ) throws {
        let (table, column) = try Self.split(text, at: ".", "\(option) takes TABLE.COLUMN")
        let place = try place(of: table)
        all[place][keyPath: columns].append(column)
    }

    private mutating func place(of name: String) throws -> Int {
        if let place = all.firstIndex(where: { $0.name.lowercased() == name.lowercased() }) { return place }
        guard !isComplete else {
            throw ValidationError("The table \(name) has a declaration, and is not among those of --table.")
        }
        all.append(ShareDatabaseRequest.Table(name))
        return all.count - 1
    }

    private static func split(_ text: String, at mark: Character, _ usage: String) throws -> (String, String) {
        guard let place = text.lastIndex(of: mark) else { throw ValidationError("\(usage), not '\(text)'.") }
        let parts = (String(text[..<place]), String(text[place...].dropFirst()))
        guard !parts.0.isEmpty, !parts.1.isEmpty else { throw ValidationError("\(usage), not '\(text)'.") }
        return parts
    }
}
