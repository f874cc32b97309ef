import Basics
import CloudModel
import Records

/// Baselines: a device writes them, takes them, and removes the files they represent.
extension RecordDevice {
    /// A baseline is due after few files, because histories are short.
    private static var policy: BaselinePolicy {
        var policy = BaselinePolicy()
        (policy.files, policy.minimumBytes, policy.partBytes) = (2, 300, 600)
        return policy
    }

    // MARK: Writing

    /// Creates the files of a baseline, durable on the device from then on. Returns whether a baseline was due.
    mutating func prepareBaseline(knowing cloud: RecordCloud) throws -> Bool {
        guard outgoing.isEmpty, let newest = folded.values.max(by: { $0.place < $1.place }) else { return false }
        let last = try known(in: cloud).last
        let log = RecordBaseline.log(of: Array(folded.values))
        let isDue = Self.policy.isDue(
            since: log.beyond(last?.log ?? FileChain.Extent()), last: last?.bytes ?? 0, isAuthor: newest.device == id)
        guard isDue, (last?.end ?? .start) < base else { return false }
        baselines += 1
        let name = RecordBaseline.Name(device: id, number: baselines)
        var part = BaselinePart(store: RecordDevice.store, name: name, number: 0)
        var parts: [[UInt8]] = []
        for item in items() {
            part.append(item)
            guard part.size >= Self.policy.partBytes else { continue }
            parts.append(try part.encoded())
            part = BaselinePart(store: RecordDevice.store, name: name, number: UInt32(parts.count))
        }
        if !part.isEmpty { parts.append(try part.encoded()) }
        let head = RecordBaseline(
            store: RecordDevice.store, name: name, end: base, devices: Array(folded.values),
            rules: Array(confirmed.records.rules.values), parts: parts.map { RecordBaseline.Part(of: $0) })
        outgoing = parts.enumerated().map { .part(name, $0, $1) } + [.head(name, try head.encoded())]
        return true
    }

    private func items() -> [BaselineItem] {
        let records = confirmed.records
        var items = records.rows.sorted { $0.key < $1.key }.compactMap { id, row -> BaselineItem? in
            if mistake == .baselineWithoutTombstones, case .deleted = row.place { return nil }
            return .row(id, row)
        }
        if mistake != .baselineWithoutAliases {
            items += records.aliases.sorted { $0.key < $1.key }.map { .alias($0.key, $0.value) }
        }
        if mistake != .baselineWithoutLost { items += records.lost.map { .lost($0) } }
        return items
    }

    /// Writes the baseline's next file. A device dying between two files continues with the next, and a device dying
    /// before it has noted a written file writes the same file again.
    mutating func writeBaselineFile() -> RecordCloud.Upload? { outgoing.isEmpty ? nil : outgoing.removeFirst() }

    // MARK: Taking

    /// Returns the baselines seen as complete by this device, in the order of their ends.
    func known(in cloud: RecordCloud) throws -> [RecordBaseline] {
        try cloud.completeBaselines { head, baseline in
            mistake == .takesHalfBaseline || head.parts.indices.allSatisfy { baseline.parts[$0] != nil }
        }
    }

    mutating func noteBaselines(_ cloud: RecordCloud) throws {
        for head in try known(in: cloud) where completed[head.name] == nil { completed[head.name] = days }
    }

    /// Takes the latest baseline if files represented by it are gone, or if this device is new.
    mutating func takeBaseline(of cloud: RecordCloud) throws -> Bool {
        guard let head = try known(in: cloud).last, base < head.end, mistake != .foldsBeyondRemoved else {
            return false
        }
        var order = RecordFileOrder(folded: folded.values.map(\.place))
        for entry in cloud.files { order.note(entry.file.number, of: entry.file.device, version: entry.version) }
        let isLacking =
            mistake == .countsRewrittenFiles
            ? order.lacks(
                head.places.map { RecordFileOrder.Place(device: $0.device, number: $0.number, version: Self.end) })
            : order.lacks(head.places)
        guard folded.isEmpty || isLacking else { return false }
        var records = FlawedRecords(mistake)
        for rules in head.rules { records.setRules(rules) }
        for number in head.parts.indices {
            guard let bytes = cloud.baselines[head.name]?.parts[number] else { continue }
            try BaselinePart.read(bytes, of: head, number: number) { try records.restore($0) }
        }
        for device in head.devices { records.setLastFile(device.file, of: device.device, name: device.name) }
        confirmed = records
        folded = Dictionary(head.devices.map { ($0.device, $0) }) { first, _ in first }
        base = head.end
        let own = head.files[id] ?? 0
        switch mistake {
        case .dropsPending: pending = []
        case .keepsConfirmed: break
        default: pending.removeAll { $0.file.map { $0 <= own } ?? false }
        }
        return true
    }

    // MARK: Removing

    /// Returns the end of the files represented by the latest baseline, if they may go.
    mutating func removal(from cloud: RecordCloud) throws -> RecordCloud.Upload? {
        let heads = try known(in: cloud)
        guard let latest = heads.last, latest.end <= base, let since = completed[latest.name] else { return nil }
        let mayRemove = Self.policy.mayRemove(
            below: latest, by: id, devices: Array(folded.values), days: Int64(days - since))
        guard mayRemove, pruned.insert(latest.name).inserted else { return nil }
        return .removal(of: latest.files, baselines: heads.dropLast().map(\.name))
    }
}
