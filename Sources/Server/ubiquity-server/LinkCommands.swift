import ArgumentParser
import ServerStorage

struct LinkCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "link", abstract: "List and withdraw published links, and confirm them after a restore.",
        subcommands: [List.self, Withdraw.self, Confirm.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the links of all accounts, or of one.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var format: ListFormat
        @Argument(help: "The account.") var account: String?

        func run() async throws {
            try await withStore(place) { store in
                try format.show(
                    ["number", "account", "container", "document", "expires", "state"],
                    try await store.links.list(ofAccount: account).map {
                        [
                            .number($0.id), .text($0.account), .text($0.container), .text($0.name), .time($0.expires),
                            .text($0.isSuspended ? "suspended" : "active"),
                        ]
                    })
            }
        }
    }

    struct Withdraw: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "End a link at once.")

        @OptionGroup var place: PlaceOption
        @Argument(help: "The link's number in the list.") var number: Int64

        func run() async throws {
            try await withStore(place) { store in
                guard try await store.links.withdraw(number) else {
                    throw Failure("There is no link \(number). `ubiquity-server link list` shows them.")
                }
                print("Withdrew link \(number).")
            }
        }
    }

    struct Confirm: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Confirm links that a restore suspended.",
            discussion:
                "A backup does not know which links were withdrawn after it was made, so `restore` suspends all of them."
        )

        @OptionGroup var place: PlaceOption
        @OptionGroup var choice: NumberOrAll

        func run() async throws {
            try await withStore(place) { store in
                let count = try await store.links.confirm(choice.number)
                guard count > 0 || choice.all else {
                    throw Failure("There is no suspended link \(choice.text). `ubiquity-server link list` shows them.")
                }
                print("Confirmed \(counted(count, "link")).")
            }
        }
    }
}

/// The arguments naming a single row of a list, or all of them.
struct NumberOrAll: ParsableArguments {
    @Argument(help: "The number in the list.") var number: Int64?
    @Flag(help: "All of them.") var all = false

    func validate() throws {
        guard (number == nil) == all else { throw ValidationError("name a number, or pass --all") }
    }

    var text: String { number.map { "\($0)" } ?? "" }
}
