import DaemonProtocol

/// Sends written values to the daemon: all together or, if they do not fit, as many of them as do.
struct KeyValueFlush {
    typealias Written = [String: PropertyValue?]

    /// Writes all of a part, or throws and writes none of it.
    let write: (Written) throws(DaemonFailure) -> Void

    /// - Returns: The values accepted by the daemon, and those it will never accept. The rest waits for
    ///   a reachable daemon.
    func send(_ written: Written) -> (taken: Written, refused: Written) {
        var outcome: (taken: Written, refused: Written) = ([:], [:])
        // Removals free space for the following values.
        let removed = written.filter { $0.value == nil }.keys.sorted()
        let order = removed + written.filter { $0.value != nil }.keys.sorted()
        _ = send(order[...], of: written, &outcome)
        return outcome
    }

    /// Returns false if the daemon cannot be reached.
    private func send(
        _ keys: ArraySlice<String>, of written: Written, _ outcome: inout (taken: Written, refused: Written)
    ) -> Bool {
        guard !keys.isEmpty else { return true }
        let names = Set(keys)
        let part = written.filter { names.contains($0.key) }
        do throws(DaemonFailure) {
            try write(part)
            outcome.taken.merge(part) { first, _ in first }
            return true
        } catch {
            guard error.code == .quota || error.code == .invalidRequest else { return false }
            guard keys.count > 1 else {
                outcome.refused.merge(part) { first, _ in first }
                return true
            }
            let middle = keys.startIndex + keys.count / 2
            return send(keys[..<middle], of: written, &outcome) && send(keys[middle...], of: written, &outcome)
        }
    }
}
