import Basics
import CloudModel
import ContainerLog
import LocalContent
import LocalMetadata

/// The tree shown by the device to its programs: every path with its visible properties.
struct Snapshot {
    /// Descriptions by path of everything except device-only items.
    private(set) var entries: [String: String] = [:]
    /// Every readable content, including those of device-only items.
    private(set) var contents: Set<String> = []
    /// Contents of documents.
    private var shared: Set<String> = []
    /// Contents in more than one file outside conflicts.
    private(set) var doubled: Set<String> = []
    private(set) var problems: [String] = []
    /// Contents of files in packages.
    private(set) var packaged: Set<String> = []
    /// The content of each document, and the contents of all files below each folder.
    private(set) var below: [ItemID: Set<String>] = [:]
    /// Documents and folders in packages, and the packages.
    private(set) var packageItems: Set<ItemID> = []
    private(set) var hasSetAside = false
    /// The contents of each package by their paths in it; of nested packages only the outermost counts.
    private(set) var packages: [ItemID: [String: String]] = [:]
    /// Whether a folder in a package has two names equal without case.
    private(set) var hasEqualNames = false
    /// Each item's outermost package, possibly the item itself.
    private(set) var homes: [ItemID: ItemID] = [:]
    private(set) var items: Set<ItemID> = []
    /// The files and the conflict versions.
    private(set) var files: [(node: NodeID, item: ItemID, content: String)] = []
    /// The content of each file and conflict version.
    private(set) var rows: [ItemID: String] = [:]
    /// Documents whose bytes are neither on the device nor in the cloud.
    private(set) var unreadablePaths: [String] = []
    /// Marks an announced content on its way.
    static let unreadable = "? no bytes"

    init(_ device: SimulatedDevice) throws {
        try device.metadata.read { try visit(device.root, path: "", in: nil, under: [], device, $0) }
    }

    /// A package and its place.
    private typealias Package = (id: ItemID, path: String)

    private mutating func visit(
        _ folder: NodeID, path: String, in outer: Package?, under above: [ItemID], _ device: SimulatedDevice,
        _ transaction: MetadataTransaction
    ) throws {
        var names: Set<NameKey> = []
        for item in try transaction.local.children(of: folder, limit: 10_000) {
            let path = "\(path)/\(Self.exact(item.name))"
            let package = outer ?? (item.isPackage ? (item.item, path) : nil)
            if !item.isExcluded, !item.isConflictSibling { note(item, in: package) }
            var text = "\(item.kind) \(String(item.attributes.permissions, radix: 8))"
            if item.kind == .file {
                let content = try device.text(of: item)
                contents.insert(content)
                rows[item.item] = content
                files.append((item.node, item.item, content))
                if path.lowercased().contains(".app/") { packaged.insert(content) }
                let holders = item.isConflictSibling ? above : above + [item.item]
                for holder in holders { below[holder, default: []].insert(content) }
                if !item.isExcluded, !item.isConflictSibling {
                    if !shared.insert(content).inserted { doubled.insert(content) }
                    if let package {
                        packages[package.id, default: [:]][String(path.dropFirst(package.path.count))] = content
                    }
                }
                text += " ‘\(content)’ \(item.attributes.modified.nanoseconds)"
                try check(item, content, path, device)
            }
            if item.kind == .symlink { text += " → \(String(decoding: item.target, as: UTF8.self))" }
            if item.isConflictSibling { text += " of a conflict" }
            for (name, value) in item.attributes.extended.sorted(by: { $0.key < $1.key }) where !item.isConflictSibling
            {
                text += " \(name)=\(String(decoding: value, as: UTF8.self))"
            }
            if !item.isExcluded { entries[path] = text }
            if item.isPackage, path.contains(" (conflict from") { hasSetAside = true }
            if package != nil { packageItems.insert(item.item) }
            if outer != nil, !names.insert(NameKey(item.name, folding: true)).inserted { hasEqualNames = true }
            guard item.kind == .folder else { continue }
            try visit(item.node, path: path, in: package, under: above + [item.item], device, transaction)
        }
    }

    /// Returns a name in ASCII, because two strings differing only in composition are equal in Swift.
    static func exact(_ name: ItemName) -> String {
        let text = name.description
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        return text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }

    private mutating func note(_ item: LocalItem, in package: Package?) {
        items.insert(item.item)
        homes[item.item] = package?.id
    }

    private mutating func check(_ item: LocalItem, _ content: String, _ path: String, _ device: SimulatedDevice) throws
    {
        // While a program has the file open for writing, its size is that of the bytes, not that in the row.
        guard !item.isWriting else { return }
        // Announced: the size is known, the bytes are still on their way to the cloud.
        guard item.content != nil || item.presence == .whole else { return }
        // Its bytes are gone with a state of the cloud.
        if content == Self.unreadable, device.cloud.puts > 0 { return unreadablePaths.append(path) }
        if UInt64(content.utf8.count) != item.size {
            problems.append("\(path) has \(content.utf8.count) of \(item.size) bytes")
        }
        guard let reference = item.content else { return }
        if device.cloud.formerContents[reference] != Array(content.utf8) {
            problems.append("\(path) is not what it is said to be")
        }
    }

    /// Returns the differences, path by path.
    func difference(from other: Snapshot) -> [String] {
        Set(entries.keys).union(other.entries.keys).sorted().filter { entries[$0] != other.entries[$0] }.map {
            "\($0): \(entries[$0] ?? "absent") / \(other.entries[$0] ?? "absent")"
        }
    }
}

extension SimulatedDevice {
    /// Returns the text a program reads from a file: the local bytes, or the bytes to be fetched.
    func text(of item: LocalItem) throws -> String {
        if item.size == 0, !item.isWriting { return "" }
        if item.presence == .whole { return String(decoding: try bytes(of: item.blob), as: UTF8.self) }
        guard let reference = item.content, let bytes = cloud.contents[reference] else { return Snapshot.unreadable }
        return String(decoding: bytes, as: UTF8.self)
    }
}
