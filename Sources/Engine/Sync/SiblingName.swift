package import Basics
package import CloudModel
package import ContainerLog

/// The name of a conflict version shown beside its document. No log contains it, so it may change from release to
/// release; the fold itself names the items created from versions (``HeirName``). As long as both are alike, a version
/// keeps its name when its document is deleted.
package enum SiblingName {
    /// Returns `name (conflict from DEVICE 2026-11-20 14.03.12).ext`, with ` 2`, ` 3`… before the extension while that
    /// is taken.
    ///
    /// - Parameter taken: Returns whether a different item of the folder has a name. Name the versions of a document in
    ///   their order.
    package static func name(
        of name: ItemName, for version: ConflictVersion, taken: (ItemName) throws -> Bool
    ) rethrows -> ItemName {
        try self.name(of: name, from: version.authorName, at: version.modified, taken: taken)
    }

    /// Returns the name for this device's copy of a package beside the package it lost to.
    package static func name(
        of name: ItemName, from deviceName: String, at time: Timestamp, taken: (ItemName) throws -> Bool
    ) rethrows -> ItemName {
        let suffix = HeirName.deviceAndTime.suffix(from: deviceName, at: time)
        let first = name.inserting(suffix)
        guard try taken(first) else { return first }
        var number = 2
        while case let next = name.inserting("\(suffix) \(number)"), try taken(next) { number += 1 }
        return name.inserting("\(suffix) \(number)")
    }
}
