import CloudModel

@testable import Coordination

/// A tree in memory, addressed by paths. Names ending in `.pkg` are packages, other names with a dot are files, all
/// others are folders.
struct FakeTree: ItemTree, Sendable {
    struct Node: Sendable {
        var folder: ItemNumber?
        var name: String
        var link: ItemNumber?
    }

    static let root = ItemNumber(1)
    private(set) var nodes: [ItemNumber: Node] = [Self.root: Node(folder: nil, name: "root")]
    private var places: [ItemPlace: ItemNumber] = [:]
    private var nextNumber: Int64 = 1

    init(_ paths: String...) {
        for path in paths { make(path) }
    }

    func entry(of item: ItemNumber) -> TreeEntry? {
        nodes[item].map { TreeEntry(parent: $0.folder, kind: Self.kind($0.name), linkTarget: $0.link) }
    }

    func item(at place: ItemPlace) -> ItemNumber? { places[place] }

    static func kind(_ name: String) -> TreeKind {
        name.hasSuffix(".pkg") ? .package : name.contains(".") ? .file : .folder
    }

    // MARK: Paths

    func find(_ path: String) -> ItemNumber? {
        var item: ItemNumber? = Self.root
        for name in path.split(separator: "/") { item = item.flatMap { places[Self.place($0, String(name))] } }
        return item
    }

    func place(_ path: String) -> ItemPlace {
        let parts = path.split(separator: "/").map(String.init)
        let folder = find(parts.dropLast().joined(separator: "/")) ?? ItemNumber(-1)
        return Self.place(folder, parts.last ?? "?")
    }

    func key(_ path: String) -> ItemKey { find(path).map(ItemKey.item) ?? .vacant(place(path)) }

    static func place(_ folder: ItemNumber, _ name: String) -> ItemPlace {
        guard let name = try? ItemName(name) else { preconditionFailure("a test gave the name “\(name)”") }
        return ItemPlace(folder: folder, name: name)
    }

    func place(of item: ItemNumber) -> ItemPlace? {
        nodes[item].flatMap { node in node.folder.map { Self.place($0, node.name) } }
    }

    func isAbove(_ item: ItemNumber, _ below: ItemNumber) -> Bool {
        var current = nodes[below]?.folder
        while let folder = current {
            if folder == item { return true }
            current = nodes[folder]?.folder
        }
        return false
    }

    // MARK: Changes

    /// Creates an item, and the missing folders of its path.
    @discardableResult mutating func make(_ path: String, link: ItemNumber? = nil) -> ItemNumber {
        var folder = Self.root
        for name in path.split(separator: "/").map(String.init) {
            let place = Self.place(folder, name)
            if let item = places[place] {
                folder = item
                continue
            }
            nextNumber += 1
            folder = put(ItemNumber(nextNumber), at: place, name)
        }
        nodes[folder]?.link = link
        return folder
    }

    mutating func make(at place: ItemPlace) -> ItemNumber {
        nextNumber += 1
        return put(ItemNumber(nextNumber), at: place, place.name.description)
    }

    mutating func move(_ item: ItemNumber, to place: ItemPlace) {
        if let old = self.place(of: item) { places[old] = nil }
        put(item, at: place, place.name.description)
    }

    mutating func remove(_ item: ItemNumber) {
        if let place = place(of: item) { places[place] = nil }
        nodes[item] = nil
    }

    @discardableResult private mutating func put(_ item: ItemNumber, at place: ItemPlace, _ name: String) -> ItemNumber
    {
        nodes[item, default: Node(folder: nil, name: name)].folder = place.folder
        nodes[item]?.name = name
        places[place] = item
        return item
    }
}
