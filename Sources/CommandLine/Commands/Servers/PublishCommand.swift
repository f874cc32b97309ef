import ArgumentParser
import Basics
import DaemonProtocol

/// `ubiquity publish`: makes a document available to anybody with a link; lists and withdraws such links.
struct PublishCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish", abstract: "Publish a document under a link, or list and withdraw links.",
        discussion: """
            The link serves the document as it is now, even if it is edited, moved or deleted later, until the link expires \
            or is withdrawn. It is printed only once, as the server does not store it. Waits until the document is uploaded. \
            Needs a cloud on ubiquity-server.
            """)

    @Argument(help: "The document; with --list and --withdraw any path in the mount.", completion: .file())
    var path: String?

    @Option(
        help: ArgumentHelp("How long the link lasts: 30m, 12h, 7d, 4w.", valueName: "time"),
        transform: LinkLifetime.init)
    var expires = LinkLifetime(seconds: 7 * 86_400)

    @Flag(help: "Ask for a password that protects the link; a script can pipe it in.")
    var password = false

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Give up waiting for the upload after this many seconds.", valueName: "seconds"))
    var timeout: Double?

    @Flag(help: "List published links.")
    var list = false

    @Option(help: ArgumentHelp("Withdraw the link with this number in the list.", valueName: "number"))
    var withdraw: Int64?

    @Flag(help: "Print the link, or the list of links, as JSON.")
    var json = false

    func validate() throws {
        guard !(list && withdraw != nil) else { throw ValidationError("--list and --withdraw exclude each other") }
        guard path != nil || list || withdraw != nil else { throw ValidationError("name the document to publish") }
        guard !password || (!list && withdraw == nil) else { throw ValidationError("--password belongs to a new link") }
        guard timeout.map({ $0 > 0 && $0.isFinite }) ?? true else {
            throw ValidationError("--timeout takes a number above 0")
        }
    }

    func run() throws {
        let locator = try MountLocator.current()
        if list { return try show(MountSelection.single(path, locator)) }
        if let withdraw { return try end(withdraw, MountSelection.single(path, locator)) }
        if let path { try publish(locator.place(of: path)) }
    }

    /// The output of `--json`.
    private struct Published: Encodable {
        let format = 1
        let link: PublishedResponse
    }

    private struct Links: Encodable {
        let format = 1
        let links: [PublishedDocument]
    }

    private func publish(_ place: MountLocator.Place) throws {
        var secret: String?
        if password {
            guard let typed = Terminal.askSecret("Password for the link:"), !typed.isEmpty else {
                throw CommandFailure(.refused, "there is no password", advice: "Type one, or leave --password out.")
            }
            secret = typed
        }
        let request = PublishRequest(
            path: place.path, seconds: expires.seconds, password: secret, timeout: timeout)
        var connection = try DaemonConnection.open(place.record)
        var display = LiveDisplay()
        let link = try connection.call(request, watch: WatchRequest()) {
            display.show(StatusText.progress($0.mount))
        }
        display.clear()
        if json { return print(try StatusJSON.text(Published(link: link))) }
        print(printable(link.url))
        Terminal.note("published as link \(link.link) until \(LocalTime.text(link.expires))")
    }

    private func show(_ record: MountRecord) throws {
        var connection = try DaemonConnection.open(record)
        let answer = try connection.call(LinksRequest())
        if json { return print(try StatusJSON.text(Links(links: answer.links))) }
        guard !answer.links.isEmpty else { return print("Nothing is published.") }
        var table = TextTable([
            ("LINK", .right), ("DOCUMENT", .left), ("CONTAINER", .left), ("SIZE", .right), ("UNTIL", .left),
            ("", .left),
        ])
        for link in answer.links { table.append(Self.row(link)) }
        table.lines(Terminal.style).forEach { print($0) }
    }

    private static func row(_ link: PublishedDocument) -> [TextTable.Cell] {
        [
            "\(link.link)", printable(link.name), link.container, "\(ByteCount(link.size))",
            LocalTime.text(link.expires),
            link.hasPassword ? "password" : "",
        ].map { TextTable.Cell($0) }
    }

    private func end(_ link: Int64, _ record: MountRecord) throws {
        var connection = try DaemonConnection.open(record)
        _ = try connection.call(UnpublishRequest(link: link))
        print("Withdrew link \(link).")
    }
}

/// A duration such as `30m`, `12h`, `7d` or `4w`; seconds without a unit.
struct LinkLifetime: CustomStringConvertible {
    let seconds: Int64

    init(seconds: Int64) { self.seconds = seconds }

    init(_ text: String) throws {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard digits.utf8.allSatisfy({ (48...57).contains($0) }), let number = Int64(digits), number > 0,
            case let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1), !overflow
        else { throw ValidationError("invalid time '\(text)'; use for example 30m, 12h, 7d or 4w") }
        self.seconds = seconds
    }

    var description: String { seconds.isMultiple(of: 86_400) ? "\(seconds / 86_400)d" : "\(seconds)s" }
}
