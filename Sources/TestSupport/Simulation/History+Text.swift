import CloudModel
import ContainerLog
import DeviceSupport

/// Readable forms of the parts of a story.
extension History {
    /// Returns a short form of an entry of the log.
    func text(of payload: [UInt8]) -> String {
        guard let batch = try? ChangeBatch(decoding: payload) else { return "?" }
        let changes = batch.changes.map { change -> String in
            func short(_ id: ItemID) -> String { String(id.description.suffix(4)) }
            func name(_ content: FileContent?) -> String {
                guard let reference = content?.reference, let bytes = cloud.formerContents[reference] else {
                    return "-"
                }
                return "‘\(String(decoding: bytes, as: UTF8.self))’"
            }
            func name(_ base: Digest?) -> String {
                guard let base, let known = cloud.formerContents.first(where: { $0.key.digest == base }) else {
                    return "-"
                }
                return "‘\(String(decoding: known.value, as: UTF8.self))’"
            }
            return switch change {
            case .create(let id, let parent, let called, _, let body):
                "create \(short(id)) \(short(parent))/\(called) \(name(body.content))"
            case .edit(let id, let base, let content, _): "edit \(short(id)) \(name(base)) → \(name(content))"
            case .move(let id, let parent, let name): "move \(short(id)) to \(short(parent))/\(name)"
            case .setAttributes(let id, _): "set \(short(id))"
            case .delete(let id, let base): "delete \(short(id)) \(name(base))"
            case .resolve(let id, let versions): "resolve \(short(id)) \(versions)"
            case .setValue(let key, let value, _): "write \(key) \(value?.count ?? 0)"
            case .collection(let step): "\(step.phase) \(step.epoch)"
            case .raiseRules: "raise"
            }
        }
        return "\(batch.deviceName) #\(batch.deviceSequence): \(changes.joined(separator: "; "))"
    }
}
