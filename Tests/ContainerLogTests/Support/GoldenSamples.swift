import Basics
import CloudModel
import ContainerLog
import TestSupport

/// The logs recorded by `make golden` beside the simulator's. A recorded log is read from its file, so this code only
/// matters for logs not recorded yet: give a new log a new name.
enum GoldenSamples {
    static func all() throws -> [GoldenLog] {
        var logs = try [
            conflicts(), heirs(), merges(), tombstones(), names(), keys(), packages(), packageTypes(),
            extremes(), collections(), folding(),
        ]
        for seed in UInt64(1)...5 {
            logs.append(try golden("devices-\(seed)", History(seed: seed, steps: 400).log))
        }
        for seed in UInt64(1)...6 {
            for foldsNames in [false, true] {
                for (focus, kind) in [
                    (HostileLog.Focus.everything, "hostile"), (.conflicts, "conflicts"), (.names, "names"),
                ] {
                    var log = HostileLog(seed: seed, foldsNames: foldsNames, focus: focus)
                    for _ in 0..<60 { try log.next() }
                    let name = "\(kind)-\(seed)\(foldsNames ? "-folding" : "")"
                    logs.append(try golden(name, log.batches, foldsNames: foldsNames))
                }
            }
        }
        return logs
    }

    private static func golden(_ name: String, _ batches: [ChangeBatch], foldsNames: Bool = false) throws -> GoldenLog {
        GoldenLog(name: name, foldsNames: foldsNames, entries: try batches.map { try $0.encoded() })
    }

    /// Stale edits of a file: older, newer, with equal times, with equal bytes, on bases in conflict; the conflicts are
    /// resolved in turn.
    private static func conflicts() throws -> GoldenLog {
        var log = try TestLog()
        try log.file(1, "report.txt", 10)
        for number in UInt64(1)...24 {
            let device = [TestLog.a, TestLog.b, TestLog.c][Int(number % 3)]
            let base = [10, 10, 100 + number / 2][Int(number % 3)]
            try log.edit(1, from: base, to: 100 + number % 17, at: Int64(number % 5), by: device)
        }
        for number in UInt64(0)..<6 {
            try log.append(TestLog.b, .delete(1, 101 + number))
            let versions = log.item(1)?.conflicts.map(\.version) ?? []
            try log.append(
                TestLog.c,
                .resolve(.sample(1), versions: Array(versions.prefix(1)) + [VersionID(sequence: .zero, index: 3)]))
        }
        return try golden("resolved", log.batches)
    }

    /// Conflict versions with equal names and times become items beside their deleted document; edits, deletions and
    /// resolutions of the document are forwarded to them.
    private static func heirs() throws -> GoldenLog {
        var log = try TestLog()
        let long = try ItemName(String(repeating: "\u{1F980}", count: 62) + ".text")
        try log.append(
            TestLog.a, .file(1, "a.txt", 10), .file(2, long, 20),
            .folder(3, "a (conflict from lap 2025-01-01 00.01.00).txt"))
        for (id, content) in [(UInt64(1), UInt64(10)), (2, 20)] {
            for number in UInt64(1)...8 {
                try log.edit(
                    id, from: number == 1 ? content : 0, to: content + number, at: number == 1 ? 9 : 1,
                    by: number % 2 == 0 ? TestLog.b : TestLog.c)
            }
            let versions = log.item(id)?.conflicts.map(\.version) ?? []
            try log.append(TestLog.a, .delete(id, log.contents(id).first))
            try log.edit(id, from: content + 2, to: content + 102, at: 30, by: TestLog.b)
            try log.edit(id, from: content + 102, to: content + 103, at: 31, by: TestLog.b)
            try log.append(TestLog.c, .delete(id, content + 3))
            try log.append(TestLog.b, .resolve(.sample(id), versions: versions))
            try log.edit(id, from: content, to: content + 104, at: 32)
        }
        return try golden("heirs", log.batches)
    }

    /// Folders with equal names, equal files in them, links, announced files with equal and different bytes; changes
    /// under aliased ids.
    private static func merges() throws -> GoldenLog {
        var log = try TestLog()
        try log.append(
            TestLog.a, .folder(1, "f"), .folder(2, "g", in: .sample(1)), .file(3, "x", 30, in: .sample(2)),
            .file(4, "y", 40, in: .sample(1)))
        try log.append(
            TestLog.b, .folder(11, "f"), .folder(12, "g", in: .sample(11)), .file(13, "x", 30, in: .sample(12)),
            .file(14, "y", 41, in: .sample(11)))
        try log.append(TestLog.b, .edit(13, from: 30, to: 31, at: 5), .delete(14, 41), .move(12, to: .root, "moved"))
        try log.append(TestLog.c, .folder(20, "h"), .file(21, "x", 31, in: .sample(20)))
        try log.append(TestLog.c, .move(20, to: .root, "moved"), .delete(13, 31))
        for id in UInt64(30)..<34 {
            try log.append(id % 2 == 0 ? TestLog.a : TestLog.b, .announcement(id, "n.txt", size: 7))
        }
        for id in [UInt64(31), 30, 33, 32] {
            try log.edit(id, from: nil, to: id == 33 ? 78 : 77, at: 9, by: id % 2 == 0 ? TestLog.a : TestLog.b)
        }
        try log.append(
            TestLog.c, .edit(31, from: 77, to: 79, at: 10), .delete(32, 77), .folder(35, "Documents"),
            .file(36, "d", 1, in: .sample(35)))
        return try golden("merges", log.batches)
    }

    /// Deleted folders brought back by an edit, a creation or a move; reused ids.
    private static func tombstones() throws -> GoldenLog {
        var log = try TestLog()
        try log.append(TestLog.a, .folder(1, "f"), .folder(2, "g", in: .sample(1)), .file(3, "x", 30, in: .sample(2)))
        try log.append(TestLog.a, .delete(3, 30), .delete(2), .delete(1))
        try log.append(TestLog.b, .folder(4, "f"), .file(5, "g", 50, in: .sample(4)))
        try log.edit(3, from: 30, to: 31, at: 4, by: TestLog.c)
        try log.append(TestLog.a, .delete(3, 31), .delete(3, 30), .delete(2), .delete(1), .delete(4))
        try log.append(TestLog.b, .file(6, "z", 60, in: .sample(2)), .file(3, "y", 32, in: .sample(3)), .folder(3, "w"))
        try log.append(
            TestLog.c, .move(6, to: .sample(1), "z"), .delete(6, 60), .move(6, to: .root, "z"),
            .file(6, "z", 61, in: .sample(99)))
        try log.append(TestLog.a, .delete(6, 61), .setAttributes(.sample(6), AttributeChanges(permissions: 0o600)))
        return try golden("tombstones", log.batches)
    }

    /// Taken names get a number, with gaps in the numbers, up to names without room for the number.
    private static func names() throws -> GoldenLog {
        var log = try TestLog(foldsNames: true)
        let long = try ItemName(String(repeating: "n", count: 251) + ".txt")
        for number in UInt64(0)..<14 {
            try log.append(
                number % 2 == 0 ? TestLog.a : TestLog.b,
                .file(2 * number + 1, number % 3 == 0 ? "a.tar.gz" : "A.tar.GZ", number + 10),
                .file(2 * number + 2, long, number + 40))
        }
        try log.append(
            TestLog.c, .delete(5, 12), .move(9, to: .root, "straße"), .move(11, to: .root, "STRASSE"),
            .move(1, to: .root, "A.TAR.gz"))
        return try golden("numbered", log.batches, foldsNames: true)
    }

    /// Writes and removals of keys, older and newer than the stored values, and more than a store keeps.
    private static func keys() throws -> GoldenLog {
        var log = try TestLog()
        for minute in [Int64(5), 3, 9, 1] {
            try log.append(
                TestLog.b, .setValue(key: "k", value: minute == 9 ? nil : [UInt8(minute)], time: .minute(minute)))
        }
        for step in 0..<3 {
            let changes = (0..<350).map {
                Change.setValue(key: "key \(step * 350 + $0)", value: [1], time: .minute(Int64($0 % 7)))
            }
            try log.fold(log.made(TestLog.a, changes))
        }
        for step in 0..<3 {
            let changes = (0..<350).map { Change.setValue(key: "key \(step * 350 + $0)", value: nil, time: .minute(8)) }
            try log.fold(log.made(TestLog.c, changes))
        }
        return try golden("keys", log.batches)
    }

    /// Batches with a package in its current version, in an older version, after its deletion, inside another package,
    /// or as a plain folder.
    private static func packages() throws -> GoldenLog {
        var log = try TestLog()
        try log.append(
            TestLog.a, .folder(1, "d.rtfd"), .file(2, "x", 10, in: .sample(1)), .file(3, "y", 20, in: .sample(1)),
            .folder(4, "in.app", in: .sample(1)))
        for number in UInt64(0)..<5 {
            let ours = try log.made(TestLog.a, .edit(2, from: 10 + number, to: 11 + number, at: 9))
            let theirs = try log.made(
                TestLog.b, .file(30 + number, "n", number, in: .sample(4)), .file(40 + number, "beside", number))
            try log.fold(ours)
            try log.fold(theirs)
            try log.fold(log.made(TestLog.c, .move(2, to: number % 2 == 0 ? .sample(4) : .sample(1), "x")))
        }
        let late = try log.made(TestLog.b, .edit(3, from: 20, to: 21, at: 9))
        try log.fold(log.made(TestLog.a, .move(1, to: .root, "plain")))
        try log.fold(late)
        try log.fold(
            log.made(
                TestLog.c, .move(1, to: .root, "d.rtfd"), .folder(50, "d.rtfd"), .file(51, "x", 1, in: .sample(50))))
        return try golden("packages", log.batches)
    }

    /// A container declares package types and withdraws them: folders with equal names are one, then two, then one.
    private static func packageTypes() throws -> GoldenLog {
        func declare(_ type: String, _ value: [UInt8]?) -> Change {
            .setAttributes(.root, AttributeChanges(extended: [ReservedAttribute.packageType(type): value]))
        }
        var log = try TestLog()
        try log.append(TestLog.a, .folder(1, "d.mydoc"), .file(2, "x", 10, in: .sample(1)))
        try log.append(
            TestLog.b, .folder(3, "d.mydoc"), declare("mydoc", [1]), .folder(4, "d.mydoc"), declare("No Type", [1]))
        try log.append(TestLog.c, .folder(5, "d.MyDoc"), .folder(6, "d.mydoc"), .file(7, "x", 11, in: .sample(6)))
        let (ours, theirs) = try (
            log.made(TestLog.a, .edit(2, from: 10, to: 12, at: 9)),
            log.made(TestLog.b, .edit(2, from: 10, to: 13, at: 9))
        )
        try log.fold(ours)
        try log.fold(theirs)
        try log.append(TestLog.b, declare("mydoc", nil), declare("txt", []))
        try log.append(TestLog.c, .move(6, to: .root, "d.mydoc"), .folder(8, "n.txt"), .folder(9, "n.txt"))
        return try golden("package-types", log.batches)
    }

    /// Collection steps in and out of order, two collections at once, and batches with and without knowledge of them.
    private static func collections() throws -> GoldenLog {
        var log = try TestLog()
        let list = ContentReference(digest: .sample(90), size: 90, layout: .manifest)
        let steps: [CollectionStep] = [
            .begun(epoch: 1), .proposed(epoch: 2, list: list), .proposed(epoch: 1, list: list),
            .proposed(epoch: 2, list: list), .begun(epoch: 2), .done(epoch: 1), .begun(epoch: 1), .done(epoch: 2),
            .done(epoch: 1), .begun(epoch: 2), .proposed(epoch: 0, list: list), .proposed(epoch: 3, list: list),
        ]
        for (number, step) in zip(UInt64(1)..., steps) {
            try log.append(TestLog.a, .collection(step))
            for known in UInt64(0)...3 {
                var batch = try log.made(TestLog.b, .file(number * 10 + known, "f", number * 10 + known))
                batch.collection = known
                batch.keyEpoch = known == 3 ? 1 : 0
                try log.fold(batch)
            }
            try log.append(
                TestLog.c, .move(number * 10 + 2, to: .documents, "m"), .announcement(number + 500, "n", size: 3))
        }
        return try golden("collections", log.batches)
    }

    /// A container starts folding names while empty; a nonempty container cannot.
    private static func folding() throws -> GoldenLog {
        func set(_ value: [UInt8]?) -> Change {
            .setAttributes(.root, AttributeChanges(extended: [ReservedAttribute.foldsNames: value]))
        }
        var log = try TestLog()
        try log.append(TestLog.a, .file(1, "a", 10))
        try log.append(TestLog.b, set([1]))
        try log.append(
            TestLog.b, .file(2, "A", 20), .folder(3, "documents"), .delete(1, 10), .delete(2, 20), .delete(3))
        try log.append(TestLog.c, set([2]), set(nil), .file(4, "Stra\u{DF}e.txt", 40))
        try log.append(
            TestLog.a, .file(5, "STRASSE.TXT", 50), .folder(6, "documents"), .file(7, "x", 70, in: .sample(6)))
        try log.append(TestLog.b, set(nil), .move(4, to: .root, "strasse.txt"), .move(5, to: .root, "STRASSE.txt"))
        try log.append(TestLog.c, .delete(4, 40), .delete(5, 50), .delete(7, 70), set(nil), .file(8, "b", 80))
        try log.append(TestLog.a, .file(9, "B", 90), .folder(10, "documents"))
        return try golden("folding", log.batches)
    }

    /// First and last numbers of their kind, damaged entries, gaps in the device sequences, and raised rules.
    private static func extremes() throws -> GoldenLog {
        let log = try golden("extremes", ExtremeBatches.all(naming: .sample(5)).map(small))
        var entries = log.entries + [[], [1], [1, 1, 0, 9]]
        for number in UInt64(1)...4 {
            let batch = ChangeBatch(
                device: TestLog.b, deviceName: "lap", deviceSequence: number * 10, time: .minute(Int64(number)),
                changes: [.raiseRules(UInt16(number)), .file(number, "r", number)])
            entries.append(try batch.encoded())
        }
        return GoldenLog(name: log.name, entries: entries + [log.entries[0], entries[entries.count - 1]])
    }

    /// Returns the batch without long values and long link targets: other tests cover their lengths.
    private static func small(_ batch: ChangeBatch) -> ChangeBatch {
        var batch = batch
        batch.changes = batch.changes.map { change in
            guard case .create(let id, let parent, let name, var attributes, var body) = change else { return change }
            attributes.extended = attributes.extended.filter { $0.value.count < 100 }
            if case .symlink(let target) = body { body = .symlink(target: Array(target.prefix(20))) }
            return .create(id, parent: parent, name: name, attributes: attributes, body: body)
        }
        return batch
    }
}
