package import CloudModel

extension TreeStore {
    /// Returns the package types as of the last folded entry.
    package func packageTypes() throws -> PackageTypes {
        try item(.root).map { PackageTypes(declaredBy: $0.attributes) } ?? PackageTypes()
    }
}
