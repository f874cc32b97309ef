import Foundation

/// A version that a program added to a document: a copy beside the devices' states, of this machine alone.
struct AddedVersion: Codable, Sendable {
    /// Which document, see ``AddedVersions``.
    let document: String
    let id: String
    /// Of the file or package as it was added.
    let name: String
    let added: Date
    let modified: Date?
    let computer: String
    var isDiscardable = false

    var folder: String { "\(AddedVersions.root(of: document))/\(id)" }
    var url: URL { URL(filePath: "\(folder)/\(name)") }
}
