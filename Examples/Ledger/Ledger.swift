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
        let (file, command, rest) = (arguments[0], arguments[1], Array(arguments.dropFirst(2)))
        let exists = FileManager.default.fileExists(atPath: file)
        guard exists != ["new", "join"].contains(command) else {
            throw Problem(exists ? "\(file) is there already." : "There is no \(file). Begin with new or join.")
        }
        guard command != "join" || rest.count == 1 else { throw Problem(usage) }
        let book = try Book(path: file, joining: command == "join" ? rest.first : nil)
        let review = Review(book)
        switch (command, rest.count) {
        case ("new", 0): say(book.database.identifier)
        case ("join", 1): say("Now sync.")
        case ("open", 1): try book.open(rest[0])
        case ("book", 3):
            guard let cents = Int(rest[1]) else { throw Problem("\(rest[1]) is no number of cents.") }
            try book.add(cents, to: rest[0], tag: rest[2])
        case ("rename", 2): try book.set("name", of: rest[0], to: rest[1])
        case ("note", 2): try book.set("note", of: rest[0], to: rest[1])
        case ("list", 0): for line in try book.list() { say(line) }
        case ("sync", 1): say(try book.sync(through: URL(filePath: rest[0])))
        case ("review", 0): for line in try review.list() { say(line) }
        case ("restore", 1): try review.restore(Int(rest[0]))
        case ("choose", 2): try review.choose(Int(rest[0]), Int(rest[1]))
        default: throw Problem(usage)
        }
        try book.database.close()
    }

    private static func say(_ text: String) { print(text) }
}

/// What a person can do something about.
struct Problem: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
