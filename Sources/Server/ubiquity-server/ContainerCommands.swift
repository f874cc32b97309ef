import ArgumentParser
import CloudModel
import ServerStorage

struct ContainerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container", abstract: "List, reset and remove the containers of an account.",
        subcommands: [List.self, Reset.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the containers of an account.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var format: ListFormat
        @Argument(help: "The account.") var account: String

        func run() async throws {
            try await withStore(place) { store in
                try format.show(
                    ["container", "entries", "devices ahead"],
                    try await store.logs.containers(ofAccount: account).map {
                        [.text($0.name), .number(Int64(clamping: $0.entries)), .number(Int64($0.devicesAhead))]
                    })
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a container with everything in it.",
            discussion: """
                All devices of the account stop syncing until `ubiquity reset`, which loses no edit: they upload \
                again what they have of the container. The command can thus also start a container over.
                """)

        @OptionGroup var place: PlaceOption
        @OptionGroup var confirmation: ConfirmOption
        @OptionGroup var choice: ContainerChoice

        func run() async throws {
            let (name, account) = (try choice.container(), choice.account)
            try confirmation.confirm("Remove the container \(name) of \(account) with everything in it?")
            try await withStore(place) { try await $0.removeContainer(name, ofAccount: account) }
            print("Removed the container \(name). The devices of \(account) ask for `ubiquity reset`.")
        }
    }
}

/// The arguments naming a container of an account.
struct ContainerChoice: ParsableArguments {
    @Argument(help: "The account.") var account: String
    @Argument(help: "The container.") var name: String

    func container() throws -> ContainerName {
        guard let container = ContainerName(name) else {
            throw ValidationError("'\(name)' is not a valid container name")
        }
        return container
    }
}
