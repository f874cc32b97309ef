import Basics
import CloudModel
import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// Saves from editors holding a text read long before.
extension UserActions {
    /// Saves without looking at the document's current content. If that is a remote content, it stays beside the saved
    /// one.
    func saveStale(_ random: inout SeededGenerator, _ ledger: inout Ledger, _ next: inout Int) throws -> String {
        let target = try file(&random)
        let (path, place) = (try path(target.node), place(of: target))
        let shown = try shownText(of: target)
        let text = fresh(&random, &next)
        let replaces = try device.files.hasSeen(target)
        let old = replaces && shown != text ? shown : nil
        let outcome = "‘\(text)’ over ‘\(shown ?? "")’, which no program " + (replaces ? "needs" : "has seen")
        try excuseVersion(shownBy: target, &ledger)
        guard random.chance(40) else {
            try save("new.txt", in: target.parent, text, &ledger)
            try attempt(&ledger) {
                $0.supersede(old, at: place)
            } _: {
                try device.files.rename(
                    Array("new.txt".utf8), in: target.parent, to: target.name.bytes, in: target.parent, mode: .replace)
            }
            return "save \(path) late by renaming \(outcome)"
        }
        try attempt(&ledger) {
            // A remote change before the recorded close may turn it into a conflict version beside the save.
            $0.supersede(old, at: place)
            $0.excuse(old)
            $0.write(text)
        } _: {
            let handle = try device.files.open(target.node, canWrite: true, truncate: true)
            defer { device.files.release(handle) }
            try put(text, handle)
        }
        return "write \(path) late: \(outcome)"
    }
}
