import Records

/// The schema of a simulated program in two versions. The second adds columns, and rules possibly violated by rows of
/// the first.
///
///     tag(id, name)                       natural key: name
///     account(id, name, notes, balance)   name is unique from version 2; balance is a counter
///     booking(id, account, amount, text)  account is its parent; text is declared conflict
///     label(account, tag, members)        its key is that of its two parents; members is a set
enum RecordSchema {
    static let tag = name("tag"), account = name("account"), booking = name("booking"), label = name("label")
    static let tables = [tag, account, booking, label]

    static func name(_ text: StaticString) -> RecordName {
        guard let name = RecordName(text.description) else { preconditionFailure("\(text) is no name") }
        return name
    }

    static let id = name("id"), title = name("name"), notes = name("notes"), balance = name("balance")
    static let amount = name("amount"), text = name("text"), members = name("members"), color = name("color")

    enum Kind { case plain, counter, set, conflict }

    /// Returns the columns except those of the key, with their declarations.
    static func columns(of table: RecordName, version: UInt64) -> [(name: RecordName, kind: Kind)] {
        switch table {
        case tag: [(title, .plain)] + (version > 1 ? [(color, .plain)] : [])
        case account: [(title, .plain), (notes, .plain), (balance, .counter)]
        case booking: [(account, .plain), (amount, .plain), (text, .conflict)]
        default: [(members, .set)] + (version > 1 ? [(color, .plain)] : [])
        }
    }

    static func rules(version: UInt64) -> [TableRules] {
        [
            TableRules(table: tag, version: version, key: [id], unify: [title]),
            TableRules(table: account, version: version, key: [id], uniques: version > 1 ? [[title]] : []),
            TableRules(
                table: booking, version: version, key: [id],
                references: [TableRules.Reference(columns: [account], table: account)]),
            TableRules(
                table: label, version: version, key: [account, tag],
                references: [
                    TableRules.Reference(columns: [account], table: account),
                    TableRules.Reference(columns: [tag], table: tag),
                ]),
        ]
    }

    static func rules(of table: RecordName) -> TableRules? { rules(version: 2).first { $0.table == table } }

    static func parentColumns(of table: RecordName) -> [(column: RecordName, table: RecordName)] {
        switch table {
        case booking: [(account, account)]
        case label: [(account, account), (tag, tag)]
        default: []
        }
    }
}
