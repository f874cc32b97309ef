import DeviceSupport
import LocalMetadata
import TestSupport
import VirtualFileSystem

/// A backup copy created by two devices at the same time.
extension History {
    /// Lets a device copy a document over a second one and continue to write the first, while another device moves the
    /// first over the second. Neither device knows of the concurrent change.
    func crossCopies(_ device: SimulatedDevice) throws {
        let user = self.user(on: device)
        let files = try user.items { $0.kind == .file && !$0.isExcluded && !$0.isConflictSibling && $0.size > 0 }
        guard let source = random.pick(files), let target = random.pick(files), source.node != target.node,
            let rival = random.pick(devices.filter { $0 !== device })
        else { return }
        let rivalUser = self.user(on: rival)
        let text = user.fresh(&random, &next)
        do {
            record(device, "for itself: " + (try user.backUp(source, over: target, text, &ledger)))
        } catch { record(device, "for itself: \(try UserActions.text(of: error))") }
        try notePackages(of: device)
        rival.time.advance(by: .milliseconds(random.number(1..<300)))
        do {
            let known = try rivalUser.items { $0.item == source.item || $0.item == target.item }
            guard let first = known.first(where: { $0.item == source.item }),
                let second = known.first(where: { $0.item == target.item })
            else { return }
            record(rival, "for itself: " + (try rivalUser.rename(first, over: second, &ledger)))
        } catch { record(rival, "for itself: \(try UserActions.text(of: error))") }
        try notePackages(of: rival)
    }
}
