import ArgumentParser
import Basics
import Glibc
import ServerStorage

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "See which devices are signed in, and end their access.",
        subcommands: [List.self, Revoke.self])

    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(abstract: "List the devices of all accounts, or of one.")

        @OptionGroup var data: DataOption
        @Argument(help: "The account.") var account: String?

        func run() async throws {
            try await withStore(data) { store in
                for device in try await store.devices(of: account) {
                    let state = device.isRevoked ? "access ended" : "last seen \(text(device.seen))"
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
        @Argument(help: "The device's number in the list.") var number: Int64

        func run() async throws {
            try await withStore(data) { store in
                guard try await store.revoke(device: number) else {
                    throw Failure(
                        "There is no device \(number) that is signed in. `ubiquity-server device list` names them.")
                }
                print("Ended the access of device \(number).")
            }
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
