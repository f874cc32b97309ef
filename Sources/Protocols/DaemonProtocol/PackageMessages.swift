/// Asks which folders of a container are packages by their extension, after some extensions were declared or taken back.
package struct PackageTypesRequest: Codable, Hashable, Sendable {
    package let container: String
    /// Extensions without a dot.
    package let add: [String]?
    package let remove: [String]?

    package init(container: String, add: [String]? = nil, remove: [String]? = nil) {
        self.container = container
        self.add = add
        self.remove = remove
    }
}

package struct PackageTypesResponse: Codable, Hashable, Sendable {
    /// What every container has, in order.
    package let builtIn: [String]
    /// What this one declares, in order.
    package let declared: [String]

    package init(builtIn: [String], declared: [String]) {
        self.builtIn = builtIn
        self.declared = declared
    }
}
