import ArgumentParser
import ServerStorage

struct RestoredCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restored", abstract: "Prepare a database that was restored to an earlier moment for serving.",
        discussion: """
            For a cluster whose database was restored with PostgreSQL's own tools; `restore` does the same for a directory. Stop all \
            processes of the server first. Devices that have seen more than the database has stop until `ubiquity reset` there, which \
            loses no edit; the others continue by themselves. Open sign-in codes and the sessions of browsers are removed, and devices and published links are suspended until you confirm them with \
            `device confirm` and `link confirm`; --trust-devices confirms all of them.
            """)

    @OptionGroup var place: PlaceOption
    @OptionGroup var confirmation: ConfirmOption
    @Flag(help: "Confirm every device and link of the database.") var trustDevices = false

    func run() async throws {
        try confirmation.confirm(
            "End codes and sessions, and suspend devices and links, because the database was restored?")
        try await withStore(place, alone: true) { store in
            try await store.markRestored(trustsDevices: trustDevices)
            print(
                "Codes and sessions have ended\(trustDevices ? "" : ", and devices and links are suspended"). Start the server."
            )
        }
    }
}
