import ArgumentParser
import Basics
import ServerStorage

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Say who may use this server.",
        subcommands: [Add.self, Code.self, List.self, Quota.self, Remove.self])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an account and print a code that signs its first device in.")

        @OptionGroup var data: DataOption
        @Argument(help: "What to call it.") var name: String
        @Option(help: ArgumentHelp("How much it may store, such as 100G.", valueName: "size"), transform: size)
        var quota: ByteCount?

        func run() async throws {
            try await withStore(data) { store in
                try await store.addAccount(name, quota: quota?.bytes)
                try await printCode(for: name, store)
            }
        }
    }

    struct Code: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Print a code that signs one more device in.")

        @OptionGroup var data: DataOption
        @Argument(help: "The account.") var name: String

        func run() async throws { try await withStore(data) { try await printCode(for: name, $0) } }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the accounts and what they use.")

        @OptionGroup var data: DataOption

        func run() async throws {
            try await withStore(data) { store in
                for account in try await store.accounts() {
                    let share = account.quota.map { "of \(ByteCount($0))" } ?? "without a limit"
                    let devices = account.devices == 1 ? "1 device" : "\(account.devices) devices"
                    print("\(account.name)\t\(ByteCount(account.used)) \(share)\t\(devices)")
                }
            }
        }
    }

    struct Quota: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change how much an account may store.")

        @OptionGroup var data: DataOption
        @Argument(help: "The account.") var name: String
        @Argument(help: "A size such as 100G, or none.") var size: String

        func run() async throws {
            guard size == "none" || ByteCount(size) != nil else {
                throw ValidationError("'\(size)' is no size such as 500M or 20G, and not 'none'")
            }
            let quota = size == "none" ? nil : ByteCount(size)?.bytes
            try await withStore(data) { try await $0.setQuota(quota, of: name) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Take an account away with all that it stores.",
            discussion: "Its devices keep what is on them. Interrupted, the same command goes on.")

        @OptionGroup var data: DataOption
        @OptionGroup var confirmation: ConfirmOption
        @Argument(help: "The account.") var name: String

        func run() async throws {
            try confirmation.confirm("Remove the account \(name) with all that it stores?")
            try await withStore(data) { try await $0.removeAccount(name) }
            print("Removed the account \(name).")
        }
    }
}

private func printCode(for account: String, _ store: ServerStore) async throws {
    let code = try await store.addCode(for: account)
    print("Sign-in code for \(account), for one device, within a day: \(code)")
    print("On the device: ubiquity login URL --code \(code)")
}

private func size(_ text: String) throws -> ByteCount {
    guard let count = ByteCount(text) else { throw ValidationError("'\(text)' is no size such as 500M or 20G") }
    return count
}
