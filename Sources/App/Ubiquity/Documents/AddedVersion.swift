import Foundation

/// A version that a program added to a document: a copy that this machine keeps beside the devices' state directories.
struct AddedVersion: Codable, Sendable {
    /// The identity of the document; see ``AddedVersions``.
    let document: String
    let id: String
    /// The name of the file or package when it was added.
    let name: String
    let added: Date
    let modified: Date?
    let computer: String
    var isDiscardable = false

    var folder: String { "\(AddedVersions.root(of: document))/\(id)" }
    var url: URL { URL(filePath: "\(folder)/\(name)") }
}
