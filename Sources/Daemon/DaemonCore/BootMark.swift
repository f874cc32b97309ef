import Basics
import Foundation
import Logging

/// Says whether the machine has run on since this state was last opened. Only then is a log with a hole in its middle damage: after a
/// loss of power any part of what was not synced may be missing.
struct BootMark {
    private let path: String
    private let log: Logger

    /// The kernel's own number of this run of the machine (random(4)).
    private static let source = "/proc/sys/kernel/random/boot_id"

    init(state: String, log: Logger) {
        path = "\(state)/boot"
        self.log = log
    }

    /// False where nothing shows it.
    var isOfThisRun: Bool {
        guard let mark = try? Data(contentsOf: URL(filePath: path)), !mark.isEmpty else { return false }
        return mark == Self.current
    }

    /// Marks the state as opened in this run. Without the mark the next start takes more for a loss of power, which loses nothing.
    func set() {
        guard !isOfThisRun, let current = Self.current else { return }
        do { try current.write(to: URL(filePath: path), options: .atomic) } catch {
            log.warning("could not note the run of the machine", metadata: ["path": "\(path)", "error": "\(error)"])
        }
    }

    private static var current: Data? { try? Data(contentsOf: URL(filePath: source)) }
}
