import CloudModel
package import Coordination
package import LocalMetadata
import Synchronization

/// The tree rows that claims looked up most recently, so that repeated claims of the same items read nothing from the
/// database.
///
/// A row is forgotten when the transaction changing it returns, before ``VirtualFileSystem/naming`` or the gate is
/// released. A caller holding both sees the database's state here. Bounded: of two shelves, the older is dropped when
/// the newer is full.
package final class ItemCache: Sendable {
    package struct Row: Sendable {
        package let item: ItemNumber
        package let place: ItemPlace
        package let kind: TreeKind
        /// Whether it is a folder to the file system, as a package is too.
        package let isFolder: Bool
        /// Whether it is a file with all bytes local.
        package let isWhole: Bool

        package init(_ row: LocalItem) {
            item = ItemNumber(row.node)
            place = row.place
            isFolder = row.kind == .folder
            kind = !isFolder ? .file : row.isPackage ? .package : .folder
            isWhole = row.kind == .file && row.presence == .whole
        }
    }

    /// A name in a folder. It may be any bytes, because a lookup finds existing names only.
    private struct Name: Hashable {
        let folder: ItemNumber
        let bytes: [UInt8]

        init(_ folder: ItemNumber, _ bytes: [UInt8]) {
            self.folder = folder
            self.bytes = bytes
        }

        init(_ row: Row) { self.init(row.place.folder, row.place.name.bytes) }
    }

    private struct Shelf {
        var rows: [ItemNumber: Row] = [:]
        var items: [Name: ItemNumber] = [:]

        mutating func put(_ row: Row) {
            rows[row.item] = row
            items[Name(row)] = row.item
        }

        mutating func remove(_ item: ItemNumber) {
            guard let row = rows.removeValue(forKey: item) else { return }
            items[Name(row)] = nil
        }
    }

    private struct State {
        var newer = Shelf()
        var older = Shelf()
        /// Incremented by each transaction changing the tree.
        var epoch: UInt64 = 0
        let limit: Int

        mutating func put(_ row: Row) {
            older.remove(row.item)
            newer.put(row)
            guard newer.rows.count >= limit else { return }
            (older, newer) = (newer, Shelf())
        }
    }

    private let state: Mutex<State>

    /// - Parameter limit: The number of rows on each of two shelves. A row takes some 300 bytes.
    package init(limit: Int = 4_096) { state = Mutex(State(limit: limit)) }

    /// The current epoch, to be read before the rows passed to ``learn(_:of:)``.
    package var epoch: UInt64 { state.withLock { $0.epoch } }

    package subscript(item: ItemNumber) -> Row? {
        state.withLock { state in
            if let row = state.newer.rows[item] { return row }
            guard let row = state.older.rows[item] else { return nil }
            state.put(row)
            return row
        }
    }

    package subscript(place: ItemPlace) -> Row? { self[place.folder, place.name.bytes] }

    package subscript(folder: ItemNumber, name: [UInt8]) -> Row? {
        let name = Name(folder, name)
        return state.withLock { state in
            if let item = state.newer.items[name] { return state.newer.rows[item] }
            guard let row = state.older.items[name].flatMap({ state.older.rows[$0] }) else { return nil }
            state.put(row)
            return row
        }
    }

    /// Keeps rows just read, unless something has changed since.
    package func learn(_ rows: [Row], of epoch: UInt64) {
        state.withLock { state in
            guard state.epoch == epoch else { return }
            for row in rows { state.put(row) }
        }
    }

    /// Forgets changed rows after a commit, on the committing thread.
    package func forget(_ changes: RowChanges) {
        state.withLock { state in
            state.epoch += 1
            guard !changes.isEverything, changes.nodes.count <= 2 * state.limit else {
                (state.newer, state.older) = (Shelf(), Shelf())
                return
            }
            for node in changes.nodes {
                state.newer.remove(ItemNumber(node))
                state.older.remove(ItemNumber(node))
            }
        }
    }
}
