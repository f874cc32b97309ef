import ArgumentParser
import CloudModel
import CloudServer
import ContainerLog
import ServerStorage

extension ContainerCommand {
    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Delete everything in a container.",
            discussion: """
                Every device follows as soon as it is online; the container itself stays, empty. Edits that are made meanwhile, or \
                are not uploaded yet, come back. The command reads the whole log first.
                """)

        @OptionGroup var place: PlaceOption
        @OptionGroup var confirmation: ConfirmOption
        @OptionGroup var choice: ContainerChoice

        func run() async throws {
            let (name, account) = (try choice.container(), choice.account)
            try confirmation.confirm("Delete everything in the container \(name) of \(account), on every device?")
            try await withStore(place) { store in
                let count = try await store.empty(name, of: store.accounts.account(named: account))
                print("Deleted \(count) items. The devices of \(account) follow when they are online.")
            }
        }
    }
}

extension ServerStore {
    /// Long enough to read a log of any length to its end.
    private static let patience: Duration = .seconds(86_400)

    /// Deletes everything in a container once the log has been read.
    ///
    /// - Returns: The number of items.
    fileprivate func empty(_ container: ContainerName, of account: AccountID) async throws -> Int {
        var random = SystemRandomNumberGenerator()
        return try await trees.append(
            to: container, of: account, by: .owner(using: &random), patience: Self.patience
        ) { view in
            let batches = DeletionBatches(
                DescendantWalk(below: .root), in: view.tree, seen: view.sequence, resolvesConflicts: true)
            // The documents folder stays.
            let count = try await view.tree.descendantCount(of: .root)
            return (batches, max(0, count - 1))
        }
    }
}
