import CloudModel
import CloudStorage
import ContainerLog
import LocalContent
import LocalMetadata
import Sync
import Transfers

/// Checks the log, entry by entry, and every chunk needed by current documents.
extension DeviceCheck {
    mutating func checkCloud() async throws {
        let context = context
        _ = try await context.backend.connect(create: false)
        let containers = try await context.blocking { try context.metadata.read { try $0.containers() } }
        for container in containers where container.isInCloud {
            try await checkLog(of: container)
            try await checkContents(of: container)
        }
    }

    private mutating func checkLog(of container: LocalContainer) async throws {
        stage("the log of \(container.name)", total: 0)
        var reader = LogReader(context.backend, container.name)
        do {
            while let entry = try await reader.next() {
                try Task.checkCancellation()
                guard case .damaged(let why) = entry.content else { continue }
                try await report(entry.sequence, why, in: container)
            }
        } catch let error as LogError {
            report.found(Finding("the log of \(container.name) cannot be read to its end: \(error)"))
        }
        if let number = reader.firstBreak {
            report.found(
                Finding(
                    "entry \(number) of the log of \(container.name) does not follow the one before it: the cloud has two histories",
                    advice: "Run `ubiquity reset`: it joins them and loses no document."))
        }
        try await checkPosition(of: container)
    }

    /// Compares this device's state with the log: at a common position, the folded trees are equal.
    private mutating func checkPosition(of container: LocalContainer) async throws {
        do {
            _ = try await context.backend.entries(in: container.name, after: container.position, limit: 1)
        } catch let error as CloudError where [.diverged, .notFound].contains(error.code) {
            report.found(
                Finding(
                    "this device shows another history of \(container.name) than the cloud has: \(clause(error.message))",
                    advice: "Run `ubiquity reset`: it loses no document."))
        }
    }

    private mutating func report(_ sequence: LogSequence, _ why: String, in container: LocalContainer) async throws {
        let context = context
        let items = try await context.blocking {
            try context.metadata.read { try $0.items(from: sequence, in: container.id, limit: 20) }
        }
        let what = "entry \(sequence) of the log of \(container.name) is damaged in the cloud: \(clause(why))"
        let advice = "Devices that have already read it continue; others stop there."
        guard !items.isEmpty else { return report.found(Finding(what, advice: advice)) }
        for item in items { report.found(Finding(what, path: await path(of: item.node), advice: advice)) }
    }

    private mutating func checkContents(of container: LocalContainer) async throws {
        let context = context
        var cloud = CloudContent(context.transfers, container.name)
        let total = try await context.blocking { try context.metadata.read { try $0.local.totals().bytes } }
        stage("documents in the cloud, \(container.name)", total: total)
        var last: ItemID?
        while true {
            let page = try await context.blocking { [last] in
                try context.metadata.read { try $0.remote(in: container.id).items(after: last, limit: 256) }
            }
            guard let end = page.last else { return }
            last = end.id
            for item in page {
                for reference in item.references {
                    try Task.checkCancellation()
                    try await check(reference, of: item.id, container, &cloud)
                    advance(reference.size)
                }
            }
        }
    }

    private mutating func check(
        _ reference: ContentReference, of id: ItemID, _ container: LocalContainer, _ cloud: inout CloudContent
    ) async throws {
        var bad = try await cloud.badChunks(of: reference)
        guard let first = bad.first else { return }
        let context = context
        let item = try await context.blocking { try context.metadata.read { try $0.local.item(id, in: container.id) } }
        let path = if let item { await path(of: item.node) } else { [String]() }
        if repairs, try await sendAgain(reference, bad, container) {
            cloud.forget(bad)
            bad = try await cloud.badChunks(of: reference)
        }
        if bad.isEmpty {
            return report.repaired(
                Finding("the cloud had lost bytes of it; they were uploaded again from this device", path: path))
        }
        guard first.isOfCloud else {
            return report.found(
                Finding(
                    "an entry of the log is wrong about it: \(clause(first.why))", path: path,
                    advice: "It cannot be read. Save it again, or restore an earlier version."))
        }
        report.found(
            Finding(
                "the cloud has damaged bytes of it (\(clause(first.why)))", path: path,
                advice: repairs
                    ? "This device has no good copy. Run `ubiquity repair` on a device that has one."
                    : "Run `ubiquity repair` on a device that has it."))
    }

    /// Uploads the chunks again from a local file with that content. Returns false if there is no such file.
    private func sendAgain(
        _ reference: ContentReference, _ bad: [CloudContent.BadChunk], _ container: LocalContainer
    ) async throws -> Bool {
        guard bad.allSatisfy(\.isOfCloud) else { return false }
        let context = context
        let holder = try await context.blocking {
            try context.metadata.read { try $0.local.holder(of: reference.digest) }
        }
        guard let holder, case .good = try await context.inspect(holder) else { return false }
        try await context.backend.distrust(Set(bad.map(\.id)), in: container.name)
        context.transfers.keys?.forgetStored(in: container.name)
        let file = SharedDescriptor(adopting: try context.content.open(holder.blob))
        let result = try await ContentUploader(context.transfers).upload(
            file, size: reference.size, to: container.name)
        return result.reference == reference
    }
}

extension CloudItem {
    /// The contents a device may request: the current one and those in conflict.
    fileprivate var references: [ContentReference] {
        [body.content?.reference].compactMap(\.self) + conflicts.compactMap(\.content.reference)
    }
}
