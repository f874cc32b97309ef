import ArgumentParser
import ServerStorage

struct SessionCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "session", abstract: "List the browsers that are signed in to the console, and sign them out.",
        subcommands: [List.self, End.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the browsers of all accounts, or of one.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var format: ListFormat
        @Argument(help: "The account.") var account: String?

        func run() async throws {
            try await withStore(place) { store in
                try format.show(
                    ["number", "account", "browser", "signed in", "last seen"],
                    try await store.sessions.list(ofAccount: account).map {
                        [.number($0.id), .text($0.account), .text($0.browser), .time($0.created), .time($0.seen)]
                    })
            }
        }
    }

    struct End: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Sign a browser out at once.")

        @OptionGroup var place: PlaceOption
        @Argument(help: "The session's number in the list.") var number: Int64

        func run() async throws {
            try await withStore(place) { store in
                guard try await store.sessions.endSession(number) else {
                    throw Failure("There is no session \(number). `ubiquity-server session list` shows them.")
                }
                print("Signed out the browser of session \(number).")
            }
        }
    }
}
