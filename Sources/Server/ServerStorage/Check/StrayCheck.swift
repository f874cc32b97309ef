/// Counts files or objects of chunks without a row, and removes those to which no upload under way can add a row.
struct StrayCheck: Sendable {
    let store: ServerStore
    let repairs: Bool
    /// The number removed before a backup may begin.
    private static let step = 64

    func run(_ report: inout StorageReport) async throws {
        let objects = store.chunks.objects
        let containers = try await store.database.read { try LogStore.numbers($0) }
        var strays = 0
        try await objects.forEachName(in: containers, settledBefore: nil) { names in
            try Task.checkCancellation()
            strays += try await store.chunks.withoutRow(names).count
            return true
        }
        report.strays = strays
        if repairs { try await remove(in: containers, &report) }
    }

    private func remove(in containers: [Int64], _ report: inout StorageReport) async throws {
        let mark = try await store.chunks.objects.beginSweep()
        var (removed, gaveWay) = (0, false)
        try await store.chunks.objects.forEachName(in: containers, settledBefore: mark) { names in
            var rest = try await store.chunks.withoutRow(names)[...]
            while !rest.isEmpty {
                try Task.checkCancellation()
                guard let lock = try CopyLock.collecting(store.directory) else {
                    gaveWay = true
                    return false
                }
                defer { lock.release() }
                removed += try await store.chunks.removeFrames(Array(rest.prefix(Self.step)))
                rest = rest.dropFirst(Self.step)
            }
            return true
        }
        (report.removedStrays, report.gaveWay) = (removed, gaveWay)
    }
}
