import ArgumentParser
import ServerStorage

struct TOTPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "totp", abstract: "Turn an account's authenticator app off.", subcommands: [Reset.self])

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Turn the authenticator app of an account off, without a code of it.",
            discussion: """
                For a user who has lost the app and the recovery codes. Make sure that it is the user who asks. The app \
                is set up again in the console.
                """)

        @OptionGroup var place: PlaceOption
        @Argument(help: "The account.") var name: String

        func run() async throws {
            try await withStore(place) { store in
                guard try await store.accounts.resetSecondFactor(ofAccount: name) else {
                    throw Failure("The account \(name) has no authenticator app set up; nothing was changed.")
                }
                print("Turned the authenticator app of \(name) off. Its recovery codes are not valid any more.")
            }
        }
    }
}

struct PasskeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "passkey", abstract: "List the passkeys that sign in to the console, and remove them.",
        subcommands: [List.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the passkeys of all accounts, or of one.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var format: ListFormat
        @Argument(help: "The account.") var account: String?

        func run() async throws {
            try await withStore(place) { store in
                try format.show(
                    ["number", "account", "name", "added", "last used"],
                    try await store.sessions.passkeys(ofAccount: account).map {
                        [
                            .number($0.id), .text($0.account), .text($0.name), .time($0.created),
                            $0.used.map { .time($0) } ?? .none,
                        ]
                    })
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove a passkey.",
            discussion: "Browsers that it signed in stay signed in; `session end` ends them.")

        @OptionGroup var place: PlaceOption
        @Argument(help: "The passkey's number in the list.") var number: Int64

        func run() async throws {
            try await withStore(place) { store in
                guard try await store.sessions.removePasskey(number) else {
                    throw Failure(
                        "There is no passkey \(number). `ubiquity-server account passkey list` shows them.")
                }
                print("Removed passkey \(number).")
            }
        }
    }
}
