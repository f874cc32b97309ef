import ArgumentParser
import Foundation
import Glibc

/// Runs many devices against a server, as `scripts/server-load` starts it, and prints the acknowledged writes, their
/// rate, and whether all of them exist.
@main
struct ServerLoad: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "server-load",
        abstract: "Write to a server as many devices would, and look whether it kept everything.",
        discussion: "Reads tokens from standard input, one for each device, those of one account after each other.")

    @Argument(help: "The server: http(s)://HOST[:PORT]. Several processes of a cluster get the devices in turn.")
    var servers: [String]
    @Option(help: "Devices of each account.") var family = 4
    @Option(help: "Changes a second of each device.") var rate = 10.0
    @Option(help: "Chunks of 16 KiB a second of each device.") var chunks = 0.0
    @Option(help: "For how many seconds.") var seconds = 120.0

    func run() async throws {
        raiseDescriptorLimit()
        let tokens = readTokens()
        let figures = Figures()
        var devices: [LoadDevice] = []
        for (number, token) in tokens.enumerated() {
            let server = servers[number % servers.count]
            devices.append(try await LoadDevice(number, token: token, server: server, figures: figures))
        }
        print("\(devices.count) devices connected")
        fflush(nil)
        let end = ContinuousClock.now + .seconds(seconds)
        await withTaskGroup(of: Void.self) { group in
            for device in devices {
                group.addTask { await device.write(rate: rate, until: end) }
                if chunks > 0 { group.addTask { await device.putChunks(rate: chunks, until: end) } }
                group.addTask { await device.follow(until: end + .seconds(15)) }
            }
        }
        var differences = LoadProof.Differences()
        for account in stride(from: 0, to: devices.count, by: family) {
            differences += try await LoadProof(devices[account..<min(account + family, devices.count)]).differences()
        }
        print(figures.report(seconds: seconds))
        print("acknowledged and not where it was said: \(differences.lost)")
        print("appended twice: \(differences.repeated)")
        print("chunks acknowledged and not there: \(differences.lostChunks)")
        guard differences.areNone, !figures.hasGivenUp else { throw ExitCode.failure }
    }

    private func readTokens() -> [String] {
        var tokens: [String] = []
        while let line = readLine() { if !line.isEmpty { tokens.append(line) } }
        return tokens
    }

    private func raiseDescriptorLimit() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        // If the limit cannot be raised, fewer devices can connect.
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
