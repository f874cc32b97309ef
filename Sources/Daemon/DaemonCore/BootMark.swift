import Basics
import Foundation
import Logging

/// Detects whether the machine has run without interruption since this state was last opened. Only then does a hole in the middle of a log
/// mean corruption: after a power loss, any part of the unsynced data may be missing.
struct BootMark {
    private let path: String
    private let log: Logger

    /// The kernel's random identifier of the current boot (random(4)).
    private static let source = "/proc/sys/kernel/random/boot_id"

    init(state: String, log: Logger) {
        path = "\(state)/boot"
        self.log = log
    }

    /// Whether the state was opened during this boot; false if there is no mark.
    var isOfThisRun: Bool {
        guard let mark = try? Data(contentsOf: URL(filePath: path)), !mark.isEmpty else { return false }
        return mark == Self.current
    }

    /// Marks the state as opened during this boot. Without the mark, the next start assumes a power loss, which loses
    /// no data.
    func set() {
        guard !isOfThisRun, let current = Self.current else { return }
        do { try current.write(to: URL(filePath: path), options: .atomic) } catch {
            log.warning("could not record the boot of the machine", metadata: ["path": "\(path)", "error": "\(error)"])
        }
    }

    private static var current: Data? { try? Data(contentsOf: URL(filePath: source)) }
}
