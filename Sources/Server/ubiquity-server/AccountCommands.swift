import ArgumentParser
import Basics
import ServerStorage

struct AccountCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Manage the accounts of this server.",
        subcommands: [
            Add.self, Code.self, Codes.self, List.self, Quota.self, Owner.self, Disable.self, Enable.self, Remove.self,
            TOTPCommand.self, PasskeyCommand.self,
        ])

    struct Add: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Add an account and print a code that signs its first device in.")

        @OptionGroup var place: PlaceOption
        @Argument(help: "The account's name.") var name: String
        @Option(help: ArgumentHelp("How much it may store, such as 100G.", valueName: "size"), transform: size)
        var quota: ByteCount?

        func run() async throws {
            try await withStore(place, mayCreate: true) { store in
                try await store.accounts.add(name, quota: quota?.bytes)
                try await printCode(for: name, .full, store)
            }
        }
    }

    struct Code: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print a code that signs one more device in.",
            discussion: "With --scope or --expires the code is for a device only; without, also for a browser.")

        @OptionGroup var place: PlaceOption
        @Argument(help: "The account.") var name: String
        @Option(help: ArgumentHelp("What the device may do: full or read.", valueName: "scope"), transform: deviceScope)
        var scope: DeviceScope = .full
        @Option(
            help: ArgumentHelp("When its access ends, such as 12h, 30d or 4w from now.", valueName: "time"),
            transform: seconds)
        var expires: Int64?

        func run() async throws {
            try await withStore(place) { store in
                let now = store.time.now().split.seconds
                try await printCode(for: name, DeviceGrant(scope: scope, expires: expires.map { now + $0 }), store)
            }
        }
    }

    struct Codes: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List how many sign-in codes are open, or withdraw those of an account.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var format: ListFormat
        @Option(help: ArgumentHelp("Withdraw every open code of this account.", valueName: "account"))
        var withdraw: String?

        func run() async throws {
            try await withStore(place) { store in
                if let withdraw {
                    print("Withdrew \(counted(try await store.accounts.withdrawCodes(ofAccount: withdraw), "code")).")
                    return
                }
                try format.show(
                    ["account", "open", "expires"],
                    try await store.accounts.openCodes().map {
                        [.text($0.account), .number(Int64($0.count)), .time($0.expires)]
                    })
            }
        }
    }

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the accounts and what they use.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var format: ListFormat

        func run() async throws {
            try await withStore(place) { store in
                try format.show(
                    ["account", "used", "quota", "devices", "last seen", "owner", "disabled"],
                    try await store.accounts.list().map {
                        [
                            .text($0.name), .bytes($0.used), $0.quota.map { .bytes($0) } ?? .none,
                            .number(Int64($0.devices)), $0.seen.map { .time($0) } ?? .none,
                            $0.isOwner ? .text("yes") : .none, $0.isDisabled ? .text("yes") : .none,
                        ]
                    })
            }
        }
    }

    struct Quota: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "Change how much an account may store.")

        @OptionGroup var place: PlaceOption
        @Argument(help: "The account.") var name: String
        @Argument(help: "A size such as 100G, or none.") var size: String

        func run() async throws {
            guard size == "none" || ByteCount(size) != nil else {
                throw ValidationError("invalid size '\(size)'; use for example 500M or 20G, or none")
            }
            let quota = size == "none" ? nil : ByteCount(size)?.bytes
            try await withStore(place) { try await $0.accounts.setQuota(quota, of: name) }
        }
    }

    struct Remove: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Remove an account with everything that it stores.",
            discussion: "Its devices keep what is on them. If the command is interrupted, run it again.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var confirmation: ConfirmOption
        @Argument(help: "The account.") var name: String

        func run() async throws {
            try confirmation.confirm("Remove the account \(name) with everything that it stores?")
            try await withStore(place) { try await $0.removeAccount(name) }
            print("Removed the account \(name).")
        }
    }
}

private func printCode(for account: String, _ grant: DeviceGrant = .full, _ store: ServerStore) async throws {
    let code = try await store.accounts.addCode(for: account, grant: grant)
    print("Sign-in code for \(account), for one device, within a day: \(code)")
    if grant.scope == .read { print("The device may read, but not change anything.") }
    if let expires = grant.expires {
        print("Its access ends on \(ListFormat.Cell.time(Timestamp(seconds: expires)).shown).")
    }
    print("On the device: ubiquity login URL --code \(code)")
}

private func deviceScope(_ text: String) throws -> DeviceScope {
    guard let scope = DeviceScope(rawValue: text) else {
        throw ValidationError("invalid scope '\(text)'; use full or read")
    }
    return scope
}

private func seconds(_ text: String) throws -> Int64 {
    guard let seconds = DeviceGrant.seconds(text) else {
        throw ValidationError("invalid time '\(text)'; use for example 12h, 30d or 4w")
    }
    return seconds
}

private func size(_ text: String) throws -> ByteCount {
    guard let count = ByteCount(text) else {
        throw ValidationError("invalid size '\(text)'; use for example 500M or 20G")
    }
    return count
}
