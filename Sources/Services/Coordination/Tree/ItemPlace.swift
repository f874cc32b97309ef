package import CloudModel

/// A name in a folder, whatever is there. The name is as the container compares it: folded where it folds.
package struct ItemPlace: Hashable, Sendable, CustomStringConvertible {
    package let folder: ItemNumber
    package let name: ItemName

    package init(folder: ItemNumber, name: ItemName) {
        self.folder = folder
        self.name = name
    }

    package var description: String { "“\(name)” in \(folder)" }
}
