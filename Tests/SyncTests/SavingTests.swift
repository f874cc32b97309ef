import Basics
import CloudModel
import ContainerLog
import DeviceSupport
import LocalMetadata
import Testing
import VirtualFileSystem

@testable import Sync

/// Tests everything that belongs to a document after a save, for every way in which programs save, at every pace.
@Suite("What belongs to a document survives every way of saving it")
struct SavingTests {
    /// How a program saves `d.doc`.
    enum Way: CaseIterable {
        /// Writes into the file, or empties it and writes it.
        case inPlace, truncation
        /// Writes a second file and renames it over the document. Its name is synced in the first case, not in the
        /// second.
        case rename, renameOfLocalName
        /// Renames the document to a local-only name, and creates it again.
        case tilde
        /// Writes a second file, renames the document to a synced name, and the second file to the document's name.
        case aside
        /// As ``aside``, and deletes the old file in the end.
        case asideAndDeleted
        /// Renames the document to a backup's name, and creates it again.
        case backup
        case deletion
        /// Writes a second file, and exchanges the two names.
        case exchange, exchangeAndDeleted
    }

    enum Setting: CaseIterable {
        case pin, pause, exclusion, tags, creationDate, identity, crossingEdit
    }

    /// The events between two system calls of the program.
    enum Pace: CaseIterable {
        case fast
        /// Seconds, enough to send everything.
        case slow
        /// Seconds, without a connection.
        case offline
        /// The daemon is started again.
        case restart
    }

    struct Save: CustomTestStringConvertible {
        let way: Way
        let setting: Setting
        let pace: Pace
        var testDescription: String { "\(way), \(setting), \(pace)" }

        static let all = Way.allCases.flatMap { way in
            Setting.allCases.flatMap { setting in
                Pace.allCases.map { Save(way: way, setting: setting, pace: $0) }
            }
        }
    }

    private final class Session {
        var device: KernellessDevice
        init() throws { device = try KernellessDevice() }

        func set(_ attribute: String, _ value: String, of name: String = "d.doc") throws {
            try device.files.setExtendedAttribute(
                attribute, to: Array(value.utf8), of: device.node(name), mode: .any)
        }

        func pass(_ pace: Pace) throws {
            if pace != .fast { device.time.advance(by: .seconds(2)) }
            if pace == .slow { try device.settle() }
            if pace == .restart { device = try KernellessDevice(restarting: device) }
        }

        /// Runs the system calls of a program.
        func save(_ way: Way, _ pace: Pace) throws {
            for (number, step) in try steps(way).enumerated() {
                if number > 0 { try pass(pace) }
                try step(device)
            }
        }

        private func steps(_ way: Way) throws -> [(KernellessDevice) throws -> Void] {
            let write = { (name: String) in { (device: KernellessDevice) in _ = try device.save(name, "new") } }
            let rename = { (name: String, other: String) in
                { (device: KernellessDevice) in try device.rename(name, to: other) }
            }
            let remove = { (name: String) in { (device: KernellessDevice) in try device.remove(name) } }
            let exchange = { (device: KernellessDevice) in
                try device.rename("d.doc.x4Td", to: "d.doc", mode: .exchange)
            }
            switch way {
            case .inPlace:
                return [
                    { device in
                        let handle = try device.files.open(try device.node("d.doc"), canWrite: true, truncate: false)
                        defer { device.files.release(handle) }
                        try device.write("new", to: handle)
                    }
                ]
            case .truncation: return [{ try $0.edit("d.doc", "new") }]
            case .rename: return [write(".d.doc.x4Td"), rename(".d.doc.x4Td", "d.doc")]
            case .renameOfLocalName: return [write("d.tmp"), rename("d.tmp", "d.doc")]
            case .tilde: return [rename("d.doc", "d.doc~"), write("d.doc"), remove("d.doc~")]
            case .aside: return [write("d.doc@"), rename("d.doc", "d.doc1"), rename("d.doc@", "d.doc")]
            case .asideAndDeleted:
                return [
                    write("d.doc_tmp"), rename("d.doc", "d.doc_old"), rename("d.doc_tmp", "d.doc"),
                    remove("d.doc_old"),
                ]
            case .backup: return [rename("d.doc", "d.doc.orig"), write("d.doc")]
            case .deletion: return [remove("d.doc"), write("d.doc")]
            case .exchange: return [write("d.doc.x4Td"), exchange]
            case .exchangeAndDeleted: return [write("d.doc.x4Td"), exchange, remove("d.doc.x4Td")]
            }
        }

        /// The names of everything in `Documents` of the log.
        var namesInLog: [String] {
            get throws {
                let id = try device.container.id
                return try device.metadata.read { transaction in
                    let tree = transaction.remote(in: id)
                    return try tree.children(of: .documents).compactMap { try tree.item($0)?.name.description }.sorted()
                }
            }
        }
    }

    private let session: Session
    private let document = ItemID.sample(1)

    /// The document is in the log, is not new, and its bytes are local.
    init() throws {
        session = try Session()
        try session.device.fold(.file(1, "d.doc", "old"))
        try session.device.edit("d.doc", "own")
        try session.device.settle()
        session.device.time.advance(by: .seconds(3600))
    }

    @Test("what belongs to a document survives every way of saving it", arguments: Save.all)
    func everything(save: Save) throws {
        try prepare(save.setting)
        let before = try #require(try session.device.row("d.doc"))
        try session.save(save.way, save.pace)
        if save.setting == .crossingEdit { try session.device.fold(.edit(document, from: "own", to: "other")) }
        try session.device.settle()
        let row = try #require(try session.device.row("d.doc"))
        #expect(try session.device.text("d.doc") == "new" || save.setting == .crossingEdit)
        try check(save.setting, before, row)
        guard save.setting != .pause else { return }
        #expect(try session.device.unrest == [])
    }

    private func prepare(_ setting: Setting) throws {
        switch setting {
        case .pin: try session.set("user.ubiquity.pin", "keep")
        case .pause: try session.set("user.ubiquity.isSyncPaused", "1")
        case .exclusion: try session.set("user.ubiquity.isExcludedFromSync", "1")
        case .tags: try session.set("user.xdg.tags", "tax")
        case .creationDate, .identity, .crossingEdit: break
        }
        try session.device.settle()
        if setting == .exclusion { #expect(try session.namesInLog == []) }
        session.device.time.advance(by: .seconds(3600))
    }

    private func check(_ setting: Setting, _ before: LocalItem, _ row: LocalItem) throws {
        switch setting {
        case .pin: #expect(row.pin == .keep)
        case .pause:
            #expect(row.isPaused)
            #expect(try session.namesInLog.contains("d.doc"))
            #expect(try session.device.remote(document)?.digest == ContentReference.of("own").digest)
        case .exclusion:
            #expect(row.exclusion == .byAttribute)
            #expect(try session.namesInLog == [], "neither the document nor a file that the program made is in the log")
        case .tags: #expect(row.attributes.extended["user.xdg.tags"] == Array("tax".utf8))
        case .creationDate: #expect(row.attributes.created == before.attributes.created)
        case .identity:
            #expect(row.item == document && row.isKnown)
            let item = try #require(try session.device.remote(document))
            #expect(item.digest == ContentReference.of("new").digest)
            #expect(item.name.description == "d.doc")
        case .crossingEdit:
            let item = try #require(try session.device.remote(document))
            let contents = [item.body.content?.reference] + item.conflicts.map { $0.content.reference }
            #expect(item.name.description == "d.doc")
            #expect(Set(contents) == [.of("new"), .of("other")])
        }
    }
}
