import ArgumentParser
import DaemonProtocol

/// `ubiquity pin`: downloads documents now and always keeps them local.
struct PinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Keep documents on this device, always up to date.",
        discussion:
            """
            A pinned folder keeps everything below it; pinning the mount's root keeps every container, also later ones. \
            With --when-space documents are downloaded while there is plenty of space, and evicted again when it is \
            short. Other pins are set with the attribute user.ubiquity.pin.
            """)

    @Flag(help: "Download while there is plenty of space, and evict when space is short.")
    var whenSpace = false

    @Argument(help: "What to pin.", completion: .file())
    var paths: [String]

    @Flag(help: "Print the outcome as JSON.")
    var json = false

    func run() throws {
        try ItemsRequest.run(paths, verb: "Pinned", json: json) {
            PinRequest(paths: $0, pin: whenSpace ? .whenSpace : .keep)
        }
    }
}
