import Basics
import Glibc

/// The name of a file or folder under construction: its creator's process, and a random number.
struct TemporaryName: Equatable {
    let process: Int32
    let chance: UInt64

    static func new() -> TemporaryName { TemporaryName(process: getpid(), chance: .random(in: 0...UInt64.max)) }

    var text: String { "\(process)-\(Hex.encode(chance))" }
    var path: String { "\(CloudLayout.temporary)/\(text)" }

    init(process: Int32, chance: UInt64) {
        self.process = process
        self.chance = chance
    }

    init?(_ text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 2, let process = Int32(parts[0]), process > 0, parts[1].utf8.count == 16,
            let chance = UInt64(parts[1], radix: 16)
        else { return nil }
        self.init(process: process, chance: chance)
    }

    /// Whether the file's creator is gone. A process id alone proves little: it may belong to a different machine or
    /// container, or have been reused. If this is wrong, the creator's operation fails and is retried.
    func isAbandoned(age: Duration, makerLives: Bool) -> Bool {
        age > (makerLives ? .seconds(7 * 86_400) : .seconds(600))
    }
}
