import ArgumentParser
import Basics
import DaemonProtocol

/// `ubiquity limit`: limits how fast a device sends and receives.
struct LimitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limit", abstract: "Limit how fast, and when, this device sends and receives documents.",
        discussion: """
            A RATE is in bytes a second, such as 500K, 2M or 1.5MB, at least 10kB; `off` is no limit. Without options, the present \
            limits are printed. --cache limits what is local, and evicts what exceeds it. All survive a restart, and apply at once, also to transfers under way. Changes of names and \
            attributes, which are small, are not limited. A program that waits for bytes waits 5 seconds at most for the limit.

            While the network is metered, as NetworkManager reports to ubiquity-desktop, uploads wait, and so do downloads of what \
            is pinned and of newer versions of documents that are here. What a program opens, and what `ubiquity download` and \
            `ubiquity sync` request, is transferred. `--on-metered continue` changes that.
            """)

    @OptionGroup var mount: MountOption

    @Option(help: ArgumentHelp("What uploads may use.", valueName: "rate"))
    var up: String?

    @Option(help: ArgumentHelp("What downloads may use.", valueName: "rate"))
    var down: String?

    @Flag(help: "Remove both limits.")
    var off = false

    @Option(help: ArgumentHelp("How many bytes of documents to keep local, such as 20G, or off.", valueName: "size"))
    var cache: String?

    @Option(help: ArgumentHelp("Whether uploads and background downloads wait while the network is metered."))
    var onMetered: OnMetered?

    @Flag(help: "Print JSON.")
    var json = false

    /// The output of `--json`.
    private struct Document: Encodable {
        let format = 1
        let mount: String
        let up: UInt64?
        let down: UInt64?
        let onMetered: OnMetered
        let cache: UInt64?
    }

    func validate() throws {
        guard !off || (up == nil && down == nil) else { throw ValidationError("--off stands without --up and --down") }
        if let cache, Self.rate(cache) == nil {
            throw ValidationError("--cache takes a size, such as 500M or 20G, or off: '\(cache)'")
        }
        for (option, text) in [("--up", up), ("--down", down)] {
            if let text, Self.rate(text) == nil {
                throw ValidationError("\(option) takes bytes a second, such as 500K or 2M, or off: '\(text)'")
            }
        }
    }

    func run() throws {
        let record = try mount.record()
        var connection = try DaemonConnection.open(record)
        let request = LimitsRequest(
            up: off ? 0 : up.flatMap(Self.rate), down: off ? 0 : down.flatMap(Self.rate), onMetered: onMetered,
            cache: cache.flatMap(Self.rate))
        let limits = try connection.call(request)
        let choice = limits.onMetered ?? .wait
        if json {
            let document = Document(
                mount: record.mount, up: limits.up, down: limits.down, onMetered: choice, cache: limits.cache)
            return print(try StatusJSON.text(document))
        }
        print("\(record.mount): \(StatusText.rates(up: limits.up, down: limits.down)).")
        let showsAll = up == nil && down == nil && !off && onMetered == nil && cache == nil
        if cache != nil || showsAll {
            let size = limits.cache.map { "at most \(ByteCount($0)) of documents are local" }
            print("\(record.mount): \(size ?? "as many documents are local as the disk has room for").")
        }
        guard onMetered != nil || showsAll else { return }
        print("\(record.mount): on a metered network \(StatusText.sentence(choice)).")
    }

    /// Returns the bytes a second; 0 for `off`, nil for an invalid rate.
    static func rate(_ text: String) -> UInt64? {
        if text == "off" { return 0 }
        let number = text.hasSuffix("/s") ? String(text.dropLast(2)) : text
        guard let count = ByteCount(number), count.bytes > 0 else { return nil }
        return count.bytes
    }
}

extension OnMetered: ExpressibleByArgument {}
