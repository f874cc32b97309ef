import ArgumentParser
import ServerStorage

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "List, revoke, confirm and reset signed-in devices.",
        subcommands: [List.self, Revoke.self, Confirm.self, Reset.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the devices of all accounts, or of one.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var format: ListFormat
        @Argument(help: "The account.") var account: String?

        func run() async throws {
            try await withStore(place) { store in try format.showDevices(await store.devices.list(of: account)) }
        }
    }

    struct Confirm: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Confirm devices that a restore suspended.",
            discussion: """
                A backup does not know which devices were revoked after it was made, so `restore` suspends all of them. \
                Revoke those that are lost, then confirm the others, one by one or with --all.
                """)

        @OptionGroup var place: PlaceOption
        @OptionGroup var choice: NumberOrAll

        func run() async throws {
            try await withStore(place) { store in
                let count = try await store.devices.confirm(device: choice.number)
                guard count > 0 || choice.all else {
                    throw Failure(
                        "There is no suspended device \(choice.text). `ubiquity-server device list` shows them.")
                }
                print("Confirmed \(counted(count, "device")).")
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a device's access at once.",
            discussion: "Local files stay on the device; to sign in again it needs a new sign-in code.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var device: DeviceNumber

        func run() async throws {
            try await withStore(place) { store in
                try device.require(await store.devices.revoke(device: device.number))
                print("Ended the access of device \(device.number).")
            }
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a device run `ubiquity reset`.",
            discussion: "It rebuilds its state from the cloud as soon as it is online. No edit is lost.")

        @OptionGroup var place: PlaceOption
        @OptionGroup var device: DeviceNumber

        func run() async throws {
            try await withStore(place) { store in
                try device.require(await store.devices.askReset(of: device.number))
                print("Device \(device.number) resets itself when it is online.")
            }
        }
    }
}

/// The argument naming a device by its number in the list.
struct DeviceNumber: ParsableArguments {
    @Argument(help: "The device's number in the list.") var number: Int64

    /// Throws where the store found no such device.
    func require(_ isThere: Bool) throws {
        guard isThere else {
            throw Failure("There is no device \(number) that is signed in. `ubiquity-server device list` lists them.")
        }
    }
}

extension ListFormat {
    func showDevices(_ devices: [DeviceRecord]) throws {
        try show(
            ["number", "account", "name", "signed in", "last seen", "state", "scope", "expires", "states"],
            devices.map { device in
                return [
                    .number(device.id), .text(device.account), .text(device.name), .time(device.created),
                    .time(device.seen), .text(device.state), .text(device.scope.rawValue),
                    device.expires.map { .time($0) } ?? .none,
                    .rows(
                        ["id", "name", "address", "first seen", "last seen"],
                        device.senders.map {
                            [.text("\($0.id)"), .text($0.name), .text($0.address), .time($0.first), .time($0.last)]
                        }),
                ]
            })
        guard !json else { return }
        for device in devices where !device.isRevoked { showSharing(of: device) }
    }

    /// Lists the states sharing a device's token, and says how to separate them.
    private func showSharing(of device: DeviceRecord) {
        let senders = DeviceSender.shown(device.senders, below: device.name)
        guard !senders.isEmpty else { return }
        let isShared = senders.count > 1
        print(
            isShared
                ? "\nDevice \(device.id) is used by \(senders.count) states beside each other:"
                : "\nThe mount of device \(device.id) has another name:")
        for sender in senders {
            let (name, address) = (Cell.text(sender.name).shown, Cell.text(sender.address).shown)
            print("  \(sender.id)  \(name)  from \(address), last seen \(Cell.time(sender.last).shown)")
        }
        guard isShared else { return }
        print(
            """
            Mounts of one user at one server share a sign-in; if these are such mounts, nothing is to be done. If they are copies of one \
            machine, run `ubiquity login` on one of them, with a new code of `ubiquity-server account code \(device.account)`: each can \
            then be revoked by itself.
            """)
    }
}

extension DeviceRecord {
    fileprivate var state: String {
        if isRevoked { return "revoked" }
        if isSuspended { return "suspended" }
        if isResetAsked { return "reset requested" }
        return isAhead ? "ahead of the server" : "active"
    }
}
