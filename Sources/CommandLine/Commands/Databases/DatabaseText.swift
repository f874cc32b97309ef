package import DaemonProtocol

/// Shared databases as text for people, and as JSON.
package enum DatabaseText {
    /// The output of `--json`.
    struct Document: Encodable {
        let format = 1
        let databases: [DatabaseStatus]
        var available: [AvailableDatabase]?
    }

    static func tables(_ database: DatabaseStatus) -> String { counted(UInt64(database.tables.count), "table") }

    // MARK: The list

    /// Returns nil if there is no database.
    package static func table(_ found: DatabasesResponse) -> TextTable? {
        let known = Set(found.databases.map(\.identifier))
        let others = found.available.filter { !known.contains($0.identifier) }
        guard !found.databases.isEmpty || !others.isEmpty else { return nil }
        let names = others.map { [$0.container, $0.name] }
        var table = TextTable([
            ("NAME", .left), ("CONTAINER", .left), ("STATE", .left), ("PENDING", .right), ("FILE", .left),
        ])
        for database in found.databases {
            table.append(
                [
                    printable(database.name), printable(database.container), database.state.rawValue,
                    "\(database.pending)", printable(database.path),
                ].map { TextTable.Cell($0) })
        }
        for other in others {
            // Only the identifier distinguishes databases with the same name.
            let isAmbiguous = names.filter { $0 == [other.container, other.name] }.count > 1
            let note = isAmbiguous ? "(not attached, \(printable(other.identifier)))" : "(not attached)"
            table.append(
                [printable(other.name), printable(other.container), "-", "-", note].map { TextTable.Cell($0) })
        }
        return table
    }

    // MARK: The state of one

    package static func lines(_ database: DatabaseStatus, _ style: TextStyle) -> [String] {
        var lines = [style.bold("\(printable(database.name)) (\(printable(database.container)))")]
        func add(_ title: String, _ text: String) {
            lines.append("  \(title)\(String(repeating: " ", count: max(1, 12 - title.count)))\(text)")
        }
        add("File", printable(database.path))
        add("State", state(database))
        if let problem = database.problem {
            add("Problem", style.warning("\(printable(problem.message)), since \(LocalTime.text(problem.since))"))
            add("", printable(problem.advice))
        }
        for file in database.missing ?? [] {
            add(
                "Waiting",
                style.warning(
                    "for file \(file.number) of the device \(printable(file.device)), since \(LocalTime.text(file.since))"
                ))
        }
        add("Tables", printable(database.tables.joined(separator: ", ")))
        if !database.devices.isEmpty { add("Devices", printable(database.devices.joined(separator: ", "))) }
        if let time = database.lastPublished { add("Sent", "last at \(LocalTime.text(time))") }
        if let time = database.lastImported { add("Received", "last at \(LocalTime.text(time))") }
        let decisions = decisions(database)
        if !decisions.isEmpty {
            add("Decisions", "\(decisions.joined(separator: ", ")) (\"ubiquity database resolve\" lists them)")
        }
        for note in database.notes { add("Note", printable(note)) }
        return lines
    }

    private static func state(_ database: DatabaseStatus) -> String {
        let pending = database.pending == 0 ? "" : "; \(counted(database.pending, "transaction")) still to send"
        let age = database.asOf.map { _ in "" } ?? "; the file could not be read yet"
        switch database.state {
        case .current: return "everything is sent and received\(age)"
        case .syncing: return "sending or receiving\(pending)\(age)"
        case .waiting: return "waiting, tried again by itself\(pending)\(age)"
        case .stopped: return "stopped until the problem is solved\(pending)\(age)"
        }
    }

    private static func decisions(_ database: DatabaseStatus) -> [String] {
        var parts: [String] = []
        if database.conflicts > 0 { parts.append("\(counted(database.conflicts, "row")) with several values") }
        if database.aside > 0 { parts.append("\(counted(database.aside, "row")) aside") }
        if database.refused > 0 { parts.append("\(counted(database.refused, "row")) refused by a constraint") }
        if database.lost > 0 { parts.append("\(counted(database.lost, "value")) replaced unseen") }
        return parts
    }

    // MARK: Rows

    package static func text(_ value: DatabaseValueText) -> String {
        let text = printable(value.text) + (value.isCut ? "…" : "")
        switch value.kind {
        case .null: return "NULL"
        case .text: return "'\(text)'"
        case .blob: return "x'\(text)'"
        case .integer, .real: return text
        }
    }

    static func key(_ key: [DatabaseValueText]) -> String { key.map(text).joined(separator: ", ") }

    static func origin(_ origin: DatabaseOrigin) -> String {
        let device = origin.isThisDevice ? "this device" : printable(origin.device)
        return "\(device), \(LocalTime.text(origin.time))"
    }

    static func lines(_ lost: DatabaseLostValue) -> String {
        let what = lost.column.map { "\(printable($0)) = \(text(lost.lost.value))" } ?? "the deletion"
        return
            "\(what) by \(origin(lost.lost.origin)): \(printable(lost.reason)) (\(origin(lost.replacedBy)))"
    }
}
