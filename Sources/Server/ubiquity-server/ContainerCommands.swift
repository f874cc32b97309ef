import ArgumentParser
import CloudModel
import Foundation
import Glibc
import ServerStorage

struct ContainerCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "container", abstract: "See the containers of an account, empty one, take one away.",
        subcommands: [List.self, Reset.self, Remove.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the containers of an account.")

        @OptionGroup var data: DataOption
        @Argument(help: "The account.") var account: String

        func run() async throws {
            try await withStore(data) { store in
                for container in try await store.containers(ofAccount: account) {
                    print("\(container.name)\t\(container.entries) entries")
                }
            }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take a container away with all that is in it.",
            discussion: """
                All devices of the account stop syncing until `ubiquity reset`, which loses no edit: what they have of \
                the container they bring as new. So this is also the way to begin a container anew.
                """)

        @OptionGroup var data: DataOption
        @OptionGroup var confirmation: ConfirmOption
        @Argument(help: "The account.") var account: String
        @Argument(help: "The container.") var name: String

        func run() async throws {
            guard let container = ContainerName(name) else {
                throw ValidationError("'\(name)' can not be a container's name")
            }
            try confirmation.confirm("Remove the container \(name) of \(account) with all that is in it?")
            try await withStore(data) { try await $0.removeContainer(container, ofAccount: account) }
            print("Removed the container \(name). The devices of \(account) ask for `ubiquity reset`.")
        }
    }
}

/// Asks before what can not be undone.
struct ConfirmOption: ParsableArguments {
    @Flag(help: "Do not ask.") var yes = false

    func confirm(_ question: String) throws {
        if yes { return }
        guard isatty(STDIN_FILENO) == 1 else { throw Failure("Not confirmed. Say --yes where nobody can be asked.") }
        FileHandle.standardError.write(Data("\(question) [y/N] ".utf8))
        guard readLine()?.lowercased().hasPrefix("y") == true else {
            throw Failure("Not confirmed; nothing was changed.")
        }
    }
}
