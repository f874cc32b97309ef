import ArgumentParser
import Basics
import Glibc
import ServerStorage

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "See which devices are signed in, end their access, make them begin anew.",
        subcommands: [List.self, Revoke.self, Reset.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the devices of all accounts, or of one.")

        @OptionGroup var data: DataOption
        @Argument(help: "The account.") var account: String?

        func run() async throws {
            try await withStore(data) { store in
                for device in try await store.devices(of: account) {
                    let contact = "last seen \(text(device.seen))\(device.isResetAsked ? ", reset asked" : "")"
                    let state = device.isRevoked ? "access ended" : contact
                    print("\(device.id)\t\(device.account)\t\(device.name)\tsince \(text(device.created))\t\(state)")
                }
            }
        }
    }

    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "End a device's access at once.",
            discussion: "What is on the device stays there; to come back it needs a new sign-in code.")

        @OptionGroup var data: DataOption
        @OptionGroup var device: DeviceNumber

        func run() async throws {
            try await withStore(data) { store in
                try device.require(await store.revoke(device: device.number))
                print("Ended the access of device \(device.number).")
            }
        }
    }

    struct Reset: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Make a device do `ubiquity reset`.",
            discussion: "It makes its state anew from the cloud as soon as it is online. No edit is lost.")

        @OptionGroup var data: DataOption
        @OptionGroup var device: DeviceNumber

        func run() async throws {
            try await withStore(data) { store in
                try device.require(await store.askReset(of: device.number))
                print("Device \(device.number) resets itself when it is online.")
            }
        }
    }
}

/// Which device, as the list names it.
struct DeviceNumber: ParsableArguments {
    @Argument(help: "The device's number in the list.") var number: Int64

    /// Throws where the store found no such device.
    func require(_ isThere: Bool) throws {
        guard isThere else {
            throw Failure("There is no device \(number) that is signed in. `ubiquity-server device list` names them.")
        }
    }
}

/// In UTC, to the minute.
private func text(_ time: Timestamp) -> String {
    var seconds = time_t(time.split.seconds)
    var parts = tm()
    gmtime_r(&seconds, &parts)
    var buffer = [CChar](repeating: 0, count: 32)
    let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%MZ", &parts)
    return String(decoding: buffer.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
}
