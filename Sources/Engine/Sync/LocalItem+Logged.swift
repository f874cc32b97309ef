import ContainerLog
package import LocalMetadata
package import Logging

extension LocalItem {
    /// How lines of the log name the item. Names are in lines at debug and trace only.
    package var logged: Logger.Metadata { ["document": "\(name)", "node": "\(node)"] }
}

package func + (left: Logger.Metadata, right: Logger.Metadata) -> Logger.Metadata {
    left.merging(right) { _, new in new }
}

extension Change {
    /// The kind of the change in lines of the log.
    var kindName: String {
        switch self {
        case .create: "create"
        case .edit: "edit"
        case .move: "move"
        case .setAttributes: "setAttributes"
        case .delete: "delete"
        case .resolve: "resolve"
        case .setValue: "setValue"
        case .collection: "collection"
        case .raiseRules: "raiseRules"
        }
    }
}
