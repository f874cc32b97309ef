/// How a migration begins, decided by the state of both ends.
enum MigrationStart: Hashable, Sendable {
    /// Nothing has been copied. The source has this migration's mark already, or gets a new mark.
    case begin(id: String?)
    case resume(MigrationMark)
    /// Everything has been copied, and the source is marked accordingly. Only the target's mark is left.
    case finish(MigrationMark)
    /// The migration is complete.
    case done
    case refuse(Reason)

    enum Reason: Hashable, Sendable {
        case sourceIsIncomplete
        case sourceWasMoved(to: String)
        case targetHasData
        /// The target has a part of a different or a cancelled migration.
        case targetIsOfAnother(source: String)
        case targetIsSource
    }

    init(source: MigrationMark?, target: MigrationMark?, targetIsEmpty: Bool) {
        if let source, let target, source.role == .moved, target.role == .arrived, source.id == target.id {
            self = .done
        } else {
            // A server's origin does not matter for its next destination.
            let marks = [source, target].map { $0?.role == .arrived ? nil : $0 }
            self = Self.decide(marks[0], marks[1], targetIsEmpty)
        }
    }

    private static func decide(
        _ source: MigrationMark?, _ target: MigrationMark?, _ targetIsEmpty: Bool
    ) -> MigrationStart {
        switch (source?.role, target?.role) {
        case (.target, _): .refuse(.sourceIsIncomplete)
        case (_, .source), (_, .moved): .refuse(.targetIsSource)
        case (.moved, _):
            if let target, target.id == source?.id, target.position == .complete {
                .finish(target)
            } else {
                .refuse(.sourceWasMoved(to: source?.other ?? ""))
            }
        case (_, nil), (_, .arrived): targetIsEmpty ? .begin(id: source?.id) : .refuse(.targetHasData)
        case (_, .target):
            if let target, target.id == source?.id {
                .resume(target)
            } else {
                .refuse(.targetIsOfAnother(source: target?.other ?? ""))
            }
        }
    }
}

extension MigrationStart.Reason {
    func error(from source: String, to target: String) -> StorageError {
        let message =
            switch self {
            case .sourceIsIncomplete:
                "\(source) does not have all of its data: a migration to it was interrupted. Continue that one first."
            case .sourceWasMoved(let other): "The data in \(source) was moved to \(other) already. Serve that."
            case .targetHasData: "\(target) has data of a server already. Name an empty one; nothing was changed."
            case .targetIsOfAnother(let other):
                """
                \(target) has a part of another migration, of the data in \(other). Name an empty one, or empty it; nothing \
                was changed.
                """
            case .targetIsSource:
                "The data in \(target) was moved elsewhere itself. Name an empty one; nothing was changed."
            }
        return StorageError(.invalid, message)
    }
}
