import ArgumentParser
import ServerStorage

extension AccountCommand {
    struct Owner: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Let an account manage the others in the console.",
            discussion: """
                Its console has a page with all accounts: their space, their devices and when they were last seen. It adds \
                accounts, creates sign-in codes, sets quotas, and disables accounts. It shows nothing of their contents; \
                but a sign-in code opens an account, so mark only an account whose person you trust with all of them.
                """)

        @OptionGroup var place: PlaceOption
        @Flag(help: "Remove the mark; the account's console loses the page immediately.") var remove = false
        @Argument(help: "The account.") var name: String

        func run() async throws {
            try await withStore(place) { try await $0.accounts.setOwner(!remove, of: name) }
            print(remove ? "\(name) no longer manages the accounts." : "\(name) manages the accounts in the console.")
        }
    }

    struct Disable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Refuse an account's devices, browsers, sign-in codes and links.",
            discussion: "Nothing is removed; `account enable` reverses it. Edits on its devices wait there.")

        @OptionGroup var place: PlaceOption
        @Argument(help: "The account.") var name: String

        func run() async throws {
            try await withStore(place) { try await $0.accounts.setDisabled(true, of: name) }
            print("Disabled the account \(name).")
        }
    }

    struct Enable: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Enable a disabled account.")

        @OptionGroup var place: PlaceOption
        @Argument(help: "The account.") var name: String

        func run() async throws {
            try await withStore(place) { try await $0.accounts.setDisabled(false, of: name) }
            print("Enabled the account \(name).")
        }
    }
}
