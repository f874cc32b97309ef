import Coordination
import Foundation
import Glibc

/// An item of a coordinated access, as requested by the program.
struct WantedItem: Sendable {
    enum Purpose: Sendable {
        case reading(NSFileCoordinator.ReadingOptions)
        case writing(NSFileCoordinator.WritingOptions)
    }

    let url: URL
    let purpose: Purpose

    /// A link's target if the target is to be read. A dangling link is read itself.
    var target: URL {
        guard case .reading(let options) = purpose, options.contains(.resolvesSymbolicLink) else { return url }
        return url.resolvingSymlinksInPath()
    }

    var mode: Access.Mode {
        switch purpose {
        case .reading(let options):
            let known = Coordination.ReadingOptions(rawValue: UInt32(truncatingIfNeeded: options.rawValue))
            return .reading(known.subtracting(.resolvesSymbolicLink))
        case .writing(let options):
            return .writing(WritingOption(rawValue: UInt32(truncatingIfNeeded: options.rawValue)))
        }
    }

    /// Whether the item may be missing when the accessor runs, because the accessor replaces or deletes it.
    var mayBeGone: Bool {
        if case .writing(let options) = purpose {
            !options.isDisjoint(with: [.forReplacing, .forDeleting])
        } else {
            false
        }
    }

    var readsContent: Bool {
        if case .reading(let options) = purpose { !options.contains(.immediatelyAvailableMetadataOnly) } else { false }
    }

    var isForUploading: Bool {
        if case .reading(let options) = purpose { options.contains(.forUploading) } else { false }
    }

    static func exists(_ path: String) -> Bool {
        var status = stat()
        return lstat(path, &status) == 0
    }
}
