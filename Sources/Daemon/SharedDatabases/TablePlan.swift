import Records
import UbiquityData

/// A file's shared tables and their declarations: those of the registration, and those added since by the program or
/// another device. Pure.
struct TablePlan {
    private let probe: SharingProbe
    private let newestVersion: UInt64
    /// The tables to share, without statements, in the order of the file.
    private(set) var declarations: [SharedSchema.Table]

    /// - Parameter peers: The tables of other devices, the newest first.
    init(_ registration: Registration, _ probe: SharingProbe, peers: [SharedSchema]) {
        self.probe = probe
        newestVersion = peers.map(\.version).max() ?? 0
        var declared: [String: SharedSchema.Table] = [:]
        for table in registration.tables + peers.flatMap(\.tables) where declared[table.name.lowercased()] == nil {
            declared[table.name.lowercased()] = table
        }
        var declarations: [SharedSchema.Table] = []
        for table in probe.tables {
            let name = table.name.lowercased()
            guard registration.sharesAll || declared[name] != nil || probe.sharedTables.contains(name) else { continue }
            var declaration = declared[name] ?? SharedSchema.Table(table.name)
            declaration.statements = []
            declarations.append(declaration)
        }
        // A removed table is declared nevertheless, so that opening the file says so.
        for name in probe.sharedTables.sorted() where !declarations.contains(where: { $0.name.lowercased() == name }) {
            declarations.append(declared[name].map { SharedSchema.Table($0.name) } ?? SharedSchema.Table(name))
        }
        self.declarations = declarations
    }

    /// Leaves out a table not yet shared.
    ///
    /// - Returns: Whether it was in the plan and is left out now.
    mutating func leaveOut(_ table: String) -> Bool {
        let name = table.lowercased()
        guard !probe.sharedTables.contains(name) else { return false }
        let count = declarations.count
        declarations.removeAll { $0.name.lowercased() == name }
        return declarations.count < count
    }

    /// Returns the current tables; nil if this device has already written them to the cloud. Differing tables get a
    /// version above all others.
    func change(of registration: Registration) -> SharedSchema? {
        let tables = declarations.map { declaration in
            var table = declaration
            table.statements =
                probe.tables.first { $0.name.lowercased() == declaration.name.lowercased() }?.statements ?? []
            return table
        }.filter { !$0.statements.isEmpty }
        guard let written = registration.schema else {
            return SharedSchema(version: registration.version, tables: tables)
        }
        guard written.tables != tables else { return nil }
        let (next, overflow) = max(registration.version, newestVersion).addingReportingOverflow(1)
        return SharedSchema(version: overflow ? UInt64.max : next, tables: tables)
    }
}
