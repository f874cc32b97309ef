import Foundation

/// A version added to a document by a program: a copy kept on this machine beside the devices' state directories.
struct AddedVersion: Codable, Sendable {
    /// The document's identity; see ``AddedVersions``.
    let document: String
    let id: String
    /// The file's or package's name when it was added.
    let name: String
    let added: Date
    let modified: Date?
    let computer: String
    var isDiscardable = false

    var folder: String { "\(AddedVersions.root(of: document))/\(id)" }
    var url: URL { URL(filePath: "\(folder)/\(name)") }
}
