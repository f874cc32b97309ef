import ArgumentParser
import Foundation
import PowerLoss
import Synchronization

/// Cuts a device's power in thousands of ways and checks the remaining state.
@main
struct PowerLossTool: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "powerloss", abstract: "Cut a device's power in thousands of ways and look at what is left.",
        subcommands: [Search.self, Disk.self, Work.self], defaultSubcommand: Search.self)
}

/// A subcommand started by the tool itself: the disk with recorded writes.
struct Disk: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Serve a file as a disk and record what it is asked to do.", shouldDisplay: false)

    @Argument var image: String
    @Argument var log: String
    @Argument var folder: String

    func run() async throws {
        // Ends this process when its standard input closes, because its parent may have died without ending it.
        Thread.detachNewThread {
            while readLine() != nil {}
            _exit(1)
        }
        try await DiskProcess.serve(image: image, log: log, at: folder) {
            print("ready")
            fflush(nil)
        }
    }
}

/// A subcommand started by the tool itself: the process working on the disk.
struct Work: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Work on a disk and record what is acknowledged.", shouldDisplay: false)

    @Argument var disk: String
    @Argument var folder: String
    @Option var seed: UInt64
    @Option var session: Int
    @Option var steps: Int
    @Flag var dies = false
    @Option var bug: DurabilityBug?

    func run() async throws {
        LeftOutSyncs.bug.withLock { $0 = bug }
        try await Worker(
            disk: disk, folder: folder, seed: seed, session: session, steps: steps, diesAtTheEnd: dies
        ).run()
    }
}

extension DurabilityBug: ExpressibleByArgument {}
