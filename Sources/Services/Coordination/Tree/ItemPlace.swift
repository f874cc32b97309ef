package import CloudModel

/// A name in a folder, whether or not an item has it. The name is in the form that the container compares: folded where
/// the container folds.
package struct ItemPlace: Hashable, Sendable, CustomStringConvertible {
    package let folder: ItemNumber
    package let name: ItemName

    package init(folder: ItemNumber, name: ItemName) {
        self.folder = folder
        self.name = name
    }

    package var description: String { "“\(name)” in \(folder)" }
}
