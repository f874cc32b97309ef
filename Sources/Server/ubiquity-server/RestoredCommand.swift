import ArgumentParser
import ServerStorage

struct RestoredCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restored", abstract: "Prepare a database that was restored to an earlier moment for serving.",
        discussion: """
            For a cluster whose database was restored with PostgreSQL's own tools; `restore` does the same for a directory. Stop all \
            processes of the server first. Every cloud gets a new identity, by which devices that have seen more than the \
            database has stop until `ubiquity reset` there, which loses no edit; the others continue by themselves. Open sign-in codes \
            and the sessions of browsers are removed, and devices and published links are suspended until you confirm them with \
            `device confirm` and `link confirm`; --trust-devices confirms all of them.
            """)

    @OptionGroup var place: PlaceOption
    @OptionGroup var confirmation: ConfirmOption
    @Flag(help: "Confirm every device and link of the database.") var trustDevices = false

    func run() async throws {
        try confirmation.confirm("Give every cloud a new identity, because the database was restored?")
        try await withStore(place, alone: true) { store in
            try await store.markRestored(trustsDevices: trustDevices)
            let accounts = try await store.accounts.list().count
            print("The clouds of \(counted(accounts, "account")) have new identities. Start the server.")
        }
    }
}
