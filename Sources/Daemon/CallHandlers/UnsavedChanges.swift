import Basics
import ClaimService
import Coordination
import DaemonProtocol
import LocalMetadata
import Sync

/// Programs' unsaved edits.
struct UnsavedChanges: Sendable {
    let device: MountedDevice

    /// The maximum number of programs asked concurrently.
    private static let width = 64

    /// Asks the programs presenting items at or below the paths to save them, as a coordinated read does, so that their
    /// unsaved edits are uploaded too. No path means everything. A program not responding within the usual patience is
    /// skipped.
    func save(at paths: [MountPath], within seconds: Double? = nil) async throws {
        guard device.claims.hasPresenters else { return }
        let patience = try seconds.map { min(try Duration(requestedSeconds: $0), Patience.limit) } ?? Patience.limit
        let permits = DaemonPermits(device.claims)
        let nodes = try await device.blocking { [self] in try presented(at: paths) }
        await withTaskGroup(of: Bool.self) { group in
            // Only cancellation ends the sleep early.
            group.addTask {
                try? await Task.sleep(for: patience)
                return true
            }
            var rest = nodes.makeIterator()
            var running = 0
            func addNext() {
                guard let node = rest.next() else { return }
                running += 1
                group.addTask {
                    await Self.save(of: node, permits)
                    return false
                }
            }
            for _ in 0..<Self.width { addNext() }
            while running > 0, let isLate = await group.next(), !isLate {
                running -= 1
                addNext()
            }
            group.cancelAll()
        }
    }

    private static func save(of node: NodeID, _ permits: DaemonPermits) async {
        switch permits.ask(.upload, for: node) {
        case .now(let end): end()
        case .later(let permit): await permit()?()
        case .refused: break
        }
    }

    /// Returns the presented items: those at or below the paths, and the packages and folders around them.
    private func presented(at paths: [MountPath]) throws -> [NodeID] {
        let nodes = device.claims.snapshot.items.compactMap { item -> NodeID? in
            guard case .item(let number) = item.key, item.presenters.contains(where: { !$0.isSilent }) else {
                return nil
            }
            return number.node
        }
        let named = try paths.flatMap { try device.items(at: $0) }.map(\.node)
        guard !named.isEmpty else { return nodes }
        return try device.metadata.read { transaction in
            try nodes.filter { node in
                try named.contains { try transaction.local.isInside(node, $0) || transaction.local.isInside($0, node) }
            }
        }
    }
}
