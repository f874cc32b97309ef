import Foundation
import UbiquityData

/// Many ledgers: those of this device only, and those that devices share. A manager keeps them; an open one publishes and imports by itself.
enum Shelf {
    private static let usage = """
        Ledger shelf FOLDER CONTAINER list             the ledgers with their states
        Ledger shelf FOLDER CONTAINER make TITLE       makes a ledger of this device only
        Ledger shelf FOLDER CONTAINER share TITLE      makes a shared one of it
        Ledger shelf FOLDER CONTAINER unshare TITLE    makes one of this device only of a shared one
        Ledger shelf FOLDER CONTAINER remove TITLE     removes a ledger, a shared one on all devices
        Ledger shelf FOLDER CONTAINER kept             what only this device has of ledgers that were removed
        Ledger shelf FOLDER CONTAINER recover NUMBER   makes a ledger of this device only of that
        Ledger shelf FOLDER CONTAINER sync             follows the cloud once
        Ledger shelf FOLDER CONTAINER in TITLE …       a command about one ledger: open, book, rename, note, list
        FOLDER is a folder of this device, CONTAINER the folder of a container in a mount.
        """

    static func run(_ arguments: [String]) throws -> [String] {
        guard arguments.count > 2 else { return [usage] }
        let (command, rest) = (arguments[2], Array(arguments.dropFirst(3)))
        let container = URL(filePath: arguments[1])
        let manager = try UbiquitousDatabaseManager(folder: URL(filePath: arguments[0]), schema: Book.schema) {
            // A program that imports Ubiquity passes `url(forUbiquityContainerIdentifier:)` and `ubiquityIdentityToken` of its file manager.
            UbiquitousDatabaseCloud(container: container, account: "account")
        }
        // Begins where the last command ended. A program with a window asks a person.
        try manager.refresh()
        if try manager.question() == .useCloud { try manager.answer(.use) }
        manager.waitForCopies()
        let lines = try run(command, rest, manager)
        try manager.stop()
        return lines
    }

    private static func run(
        _ command: String, _ rest: [String], _ manager: UbiquitousDatabaseManager
    ) throws -> [String] {
        switch (command, rest.count) {
        case ("list", 0): return try manager.databases().map { "\($0.title): \($0.state)" }
        case ("make", 1): try manager.create(rest[0], isShared: false)
        case ("share", 1): try manager.moveToCloud(find(rest[0], manager))
        case ("unshare", 1): try manager.moveFromCloud(find(rest[0], manager))
        case ("remove", 1): try manager.remove(find(rest[0], manager))
        case ("kept", 0): return try manager.keptDatabases().enumerated().map { "\($0 + 1): \($1.title)" }
        case ("recover", 1):
            let kept = try manager.keptDatabases()
            guard let number = Int(rest[0]), kept.indices.contains(number - 1) else {
                throw Problem("Take a number of `kept`.")
            }
            try manager.recover(kept[number - 1])
            try manager.discard(kept[number - 1])
        case ("sync", 0):
            for info in try manager.databases() where info.state == .current {
                let document = try manager.open(info)
                try document.synchronize()
                try document.close()
            }
        case ("in", 2...): return try inLedger(rest, manager)
        default: throw Problem(usage)
        }
        return []
    }

    private static func inLedger(_ rest: [String], _ manager: UbiquitousDatabaseManager) throws -> [String] {
        let document = try manager.open(find(rest[0], manager))
        guard let lines = try Book(store: document).run(rest[1], Array(rest.dropFirst(2))) else { throw Problem(usage) }
        try document.close()
        return lines
    }

    private static func find(_ title: String, _ manager: UbiquitousDatabaseManager) throws -> UbiquitousDatabaseInfo {
        guard let info = try manager.databases().first(where: { $0.title == title }) else {
            throw Problem("There is no ledger \(title). `list` shows them.")
        }
        return info
    }
}
