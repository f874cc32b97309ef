import ArgumentParser
import DaemonProtocol

/// `ubiquity pin`: downloads now and keeps local always.
struct PinCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pin", abstract: "Keep documents on this device, always up to date.",
        discussion:
            "A pinned folder keeps everything below it. The finer pins are set with the attribute user.ubiquity.pin.")

    @Argument(help: "What to pin.", completion: .file())
    var paths: [String]

    func run() throws {
        try ItemsRequest.run(paths, verb: "Pinned") { .pin(PinRequest(paths: $0, pin: .keep)) }
    }
}
