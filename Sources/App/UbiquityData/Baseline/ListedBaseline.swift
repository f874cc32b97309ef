package import CloudModel
package import Records

/// A baseline whose head is in the log.
package struct ListedBaseline: Hashable, Sendable {
    package let name: RecordBaseline.Name
    /// The head's version in the log.
    package let version: VersionID
    /// The parts in the log, from 0.
    package let parts: Set<Int>

    package init(name: RecordBaseline.Name, version: VersionID, parts: Set<Int>) {
        self.name = name
        self.version = version
        self.parts = parts
    }
}

/// A file of a device's own baseline.
package struct BaselineFile: Hashable, Sendable {
    /// Of the baseline.
    package let number: UInt64
    /// Nil for the head.
    package let part: Int?

    package init(number: UInt64, part: Int?) {
        self.number = number
        self.part = part
    }
}
