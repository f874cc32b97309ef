/// Declares and withdraws package extensions of a container, then lists the extensions of its packages.
package struct PackageTypesRequest: DaemonCall {
    package typealias Response = PackageTypesResponse
    package static let verb = "packageTypes"

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

package struct PackageTypesResponse: CallResponse {
    package static let kind = "packageTypes"

    /// The extensions of every container, sorted.
    package let builtIn: [String]
    /// The extensions declared by this container, sorted.
    package let declared: [String]

    package init(builtIn: [String], declared: [String]) {
        self.builtIn = builtIn
        self.declared = declared
    }
}
