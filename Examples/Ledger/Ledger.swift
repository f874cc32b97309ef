import Foundation
import UbiquityData

/// Keeps accounts that devices share. Each device has a SQLite file of its own, writes it offline for as long as it likes, and exchanges what
/// was committed through a folder of a mounted container.
@main
struct Ledger {
    private static let usage = """
        Ledger FILE new                        makes a ledger and prints its identifier
        Ledger FILE join IDENTIFIER            makes this device's file of a ledger that another device has
        Ledger FILE open ACCOUNT               opens an account
        Ledger FILE book ACCOUNT CENTS TAG     adds to the balance of an account; CENTS may be negative
        Ledger FILE rename ACCOUNT NAME        gives an account another name
        Ledger FILE note ACCOUNT TEXT          writes a note about an account
        Ledger FILE list                       accounts with their balances, and bookings
        Ledger FILE sync FOLDER                sends and receives, through a folder beside a container's Documents
        Ledger FILE review                     what did not remain as a device wrote it
        Ledger FILE restore NUMBER             gives a lost value back; the number is that of the review
        Ledger FILE choose NUMBER VALUE        decides which of several values stays; both numbers are those of the review
        Ledger shelf …                         many ledgers, of this device and shared: see `Ledger shelf`
        The name of the device is that of the host, or LEDGER_DEVICE.
        """

    static func main() {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            try run(arguments)
        } catch {
            FileHandle.standardError.write(Data("\(error)\n".utf8))
            exit(1)
        }
    }

    private static func run(_ arguments: [String]) throws {
        guard arguments.count > 1 else { return say(usage) }
        if arguments[0] == "shelf" { return try Shelf.run(Array(arguments.dropFirst())).forEach(say) }
        let (file, command, rest) = (arguments[0], arguments[1], Array(arguments.dropFirst(2)))
        let exists = FileManager.default.fileExists(atPath: file)
        guard exists != ["new", "join"].contains(command) else {
            throw Problem(exists ? "\(file) is there already." : "There is no \(file). Begin with new or join.")
        }
        guard command != "join" || rest.count == 1 else { throw Problem(usage) }
        let database = try Book.open(path: file, joining: command == "join" ? rest.first : nil)
        let review = Review(database)
        switch (command, rest.count) {
        case ("new", 0): say(database.identifier)
        case ("join", 1): say("Now sync.")
        case ("sync", 1): say(try sync(database, through: URL(filePath: rest[0])))
        case ("review", 0): for line in try review.list() { say(line) }
        case ("restore", 1): try review.restore(Int(rest[0]))
        case ("choose", 2): try review.choose(Int(rest[0]), Int(rest[1]))
        default:
            guard let lines = try Book(store: database).run(command, rest) else { throw Problem(usage) }
            lines.forEach(say)
        }
        try database.close()
    }

    /// A program that keeps a document open need not do this: see `Shelf`.
    private static func sync(_ database: UbiquitousDatabase, through folder: URL) throws -> String {
        let sent = try database.publish(to: folder)
        let changes = try database.importChanges(from: folder)
        return "sent \(sent), received \(changes.files), changed rows \(changes.rows.count)"
    }

    private static func say(_ text: String) { print(text) }
}

/// What a person can do something about.
struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
