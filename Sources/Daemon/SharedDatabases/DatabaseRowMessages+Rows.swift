import Basics
import DaemonProtocol
import Foundation
import UbiquityData

extension DatabaseValueText {
    init(_ value: ShownValue) {
        let kinds: [String: Kind] = ["null": .null, "integer": .integer, "real": .real, "blob": .blob]
        self.init(kinds[value.kind] ?? .text, value.text, isCut: value.isCut)
    }

    static func texts(_ values: [ShownValue]) -> [DatabaseValueText] { values.map { DatabaseValueText($0) } }
}

extension DatabaseOrigin {
    init(_ origin: WriteOrigin) {
        // A clock's time is in the wire's range: anything beyond is shown as its end.
        let seconds = min(max(origin.time.timeIntervalSince1970, -62_135_596_800), 253_402_300_799)
        let time = Timestamp(seconds: Int64(seconds), nanoseconds: 0)
        self.init(device: origin.deviceName, isThisDevice: origin.isThisDevice, time: WireTime(time))
    }
}

extension DatabaseLostValue {
    init(_ value: LostValue) {
        let reason =
            switch value.reason {
            case .replaced: "a later edit replaced it"
            case .valueTaken: "another row has the value, which is unique"
            case .parentMissing(let table, _): "the row of \(table) that it names is not there"
            case .united: "two rows became one, and the other had the later value"
            case .deletionRefused: "the row was edited, or got children, meanwhile"
            }
        self.init(
            table: value.table, key: DatabaseValueText.texts(value.shownKey), column: value.column,
            lost: DatabaseCandidate(value: DatabaseValueText(value.shownValue), origin: DatabaseOrigin(value.origin)),
            replacedBy: DatabaseOrigin(value.replacedBy), reason: reason)
    }
}

extension AsideRow.Reason {
    /// Why the row is not in its table, and how it comes back.
    var text: String {
        switch self {
        case .valueTaken(let columns, _):
            "another row has the same \(columns.joined(separator: ", ")), which is unique; change that row, and this one returns"
        case .parentMissing(let table, _):
            "the row of \(table) that it names is not there; insert that, and this one returns"
        case .refused(let message):
            "a constraint of this device refuses it (\(message)); it is tried again at each import"
        }
    }
}

extension DatabaseReviewResponse.Aside {
    init(_ row: AsideRow) {
        self.init(
            table: row.table, key: DatabaseValueText.texts(row.shownKey), origin: DatabaseOrigin(row.origin),
            reason: row.reason.text)
    }
}

extension DatabaseReviewResponse.Conflict {
    init(_ conflict: ValueConflict) {
        func candidate(_ candidate: ValueConflict.Candidate) -> DatabaseCandidate {
            DatabaseCandidate(
                value: DatabaseValueText(candidate.shownValue), origin: DatabaseOrigin(candidate.origin))
        }
        self.init(
            table: conflict.table, key: DatabaseValueText.texts(conflict.shownKey), column: conflict.column,
            current: candidate(conflict.current), others: conflict.others.map(candidate))
    }
}

extension DatabaseHistoryResponse {
    init(_ row: RowHistory) {
        var deleted: DatabaseOrigin?
        var aside: String?
        switch row.place {
        case .live: break
        case .deleted(let origin): deleted = DatabaseOrigin(origin)
        case .aside(let reason): aside = reason.text
        }
        self.init(
            table: row.table, key: DatabaseValueText.texts(row.shownKey), created: DatabaseOrigin(row.created),
            deleted: deleted, aside: aside,
            columns: row.columns.map { column in
                Column(
                    name: column.name,
                    current: DatabaseCandidate(
                        value: DatabaseValueText(column.shownValue), origin: DatabaseOrigin(column.origin)),
                    others: column.others.map {
                        DatabaseCandidate(value: DatabaseValueText($0.shownValue), origin: DatabaseOrigin($0.origin))
                    })
            }, lost: row.lost.map { DatabaseLostValue($0) })
    }
}
