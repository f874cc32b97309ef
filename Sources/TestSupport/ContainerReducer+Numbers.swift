package import CloudModel
package import ContainerLog

/// For tests interested only in entry numbers.
extension ContainerReducer {
    package func fold<Store: TreeStore>(
        _ batch: ChangeBatch, at sequence: LogSequence, into store: inout Store
    ) throws -> FoldResult {
        try fold(batch, at: LogPosition(sequence, .zero), into: &store)
    }

    package func foldVoid(at sequence: LogSequence, into store: inout some TreeStore) throws {
        try foldVoid(at: LogPosition(sequence, .zero), into: &store)
    }
}
