import Basics
import Foundation
import GRDB
import Glibc
import Records

/// Explains to the file's user why it could not be published or imported: the cause, the remedy, and when a
/// retry makes sense.
package struct SharingFailure: Error, Hashable, Sendable {
    package enum Retry: Hashable, Sendable {
        /// Automatic, with a growing pause.
        case later
        /// Once the file or the cloud has changed: an earlier retry would fail the same way.
        case afterChange
    }

    /// A sentence without a period.
    package let message: String
    /// A complete sentence.
    package let advice: String
    package let retry: Retry

    package init(_ message: String, advice: String, retry: Retry) {
        (self.message, self.advice, self.retry) = (message, advice, retry)
    }

    package init(_ error: any Error) {
        switch error {
        case let failure as SharingFailure: self = failure
        case UbiquitousDatabaseError.unsharable(let table, let reason):
            self.init(
                "the table \(table) cannot be shared: \(reason)",
                advice: "Change the table, or end sharing with `ubiquity database detach`.", retry: .afterChange)
        case let error as UbiquitousDatabaseError:
            let (message, advice) = Self.split("\(error)")
            self.init(message, advice: advice, retry: .afterChange)
        case let error as RecordFileError:
            let (message, advice) = Self.split("\(error)")
            self.init(message, advice: advice, retry: .afterChange)
        case let error as SharedSchemaError:
            let advice =
                if case .tooNew = error { "Install a newer version of ubiquity." } else {
                    "Restore an earlier version of schema.json, or remove it: the device that wrote it writes it again."
                }
            self.init("\(error)", advice: advice, retry: .afterChange)
        case let error as DatabaseError: self.init(database: error)
        case let error as Errno: self.init(code: error.code, "\(error)")
        default:
            let cocoa = error as NSError
            let isFull = (error as? CocoaError)?.code == .fileWriteOutOfSpace
            let code = (cocoa.userInfo[NSUnderlyingErrorKey] as? NSError)?.code ?? (isFull ? Int(ENOSPC) : 0)
            let text = error.localizedDescription
            self.init(code: Int32(clamping: code), text.hasSuffix(".") ? String(text.dropLast()) : text)
        }
    }

    /// Divides a message into its first sentence and the rest.
    private static func split(_ text: String) -> (message: String, advice: String) {
        let parts = text.split(separator: ". ", maxSplits: 1)
        guard parts.count == 2 else {
            return (
                text.hasSuffix(".") ? String(text.dropLast()) : text, "`ubiquity database detach` ends sharing here."
            )
        }
        let rest = String(parts[1])
        return (String(parts[0]), rest.hasSuffix(".") ? rest : "\(rest).")
    }

    private init(database error: DatabaseError) {
        let text = error.message ?? "error \(error.resultCode.rawValue)"
        switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED:
            self.init(
                "another program has locked the file", retry: .later,
                "It is tried again. End the transaction of that program if this does not pass.")
        case .SQLITE_NOTADB:
            self.init(
                "the file is no SQLite database", retry: .afterChange,
                "Put the database back, or end sharing with `ubiquity database detach`.")
        case .SQLITE_CORRUPT:
            self.init(
                "the database is corrupt (\(text))", retry: .afterChange,
                "Detach it, move the file away, and attach a new one; copy rows that are missing there from the old file."
            )
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH:
            self.init(
                "the file or its folder may not be written (\(text))", retry: .later,
                "Give this user the right to write both.")
        case .SQLITE_CANTOPEN:
            self.init(
                "the file cannot be opened (\(text))", retry: .later,
                "Check that this user may read and write its folder.")
        case .SQLITE_FULL:
            self.init("the disk of the file is full", retry: .later, "Free some space there.")
        case .SQLITE_NOMEM, .SQLITE_IOERR, .SQLITE_INTERRUPT, .SQLITE_PROTOCOL:
            self.init("the file cannot be read or written now (\(text))", retry: .later, "Check its disk.")
        default:
            self.init(
                "SQLite refuses the operation (\(text))", retry: .afterChange,
                "Check the tables and triggers of the database.")
        }
    }

    private init(code: Int32, _ text: String) {
        switch code {
        case ENOSPC, EDQUOT:
            self.init("no space is left (\(text))", retry: .later, "Free some space.")
        case ENETUNREACH, ETIMEDOUT, EHOSTUNREACH, EAGAIN:
            self.init(
                "a file of transactions cannot be downloaded now (\(text))", retry: .later,
                "It is tried again when the cloud can be reached; what you write is kept until then.")
        case ENOTCONN, ENODEV, EOPNOTSUPP:
            self.init("the mount cannot be used (\(text))", retry: .later, "Mount it again.")
        default: self.init(text, retry: .later, "See the daemon's log.")
        }
    }

    private init(_ message: String, retry: Retry, _ advice: String) {
        self.init(message, advice: advice, retry: retry)
    }
}
