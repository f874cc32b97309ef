import CloudModel
import DaemonProtocol
public import Foundation

// Not part of Apple's API: there, programs export such types in their property list (`com.apple.package`).
extension FileManager {
    /// Returns the file extensions of the container's packages, folders treated as a single document: those common to
    /// all containers, and those declared by programs.
    ///
    /// - Parameter containerIdentifier: As for ``url(forUbiquityContainerIdentifier:)``.
    /// - Throws: `CocoaError.fileReadUnknown` with the daemon's reason, or `featureUnsupported` if nothing is mounted.
    public func ubiquitousPackageTypes(
        forContainerIdentifier containerIdentifier: String? = nil
    ) throws -> Set<String> {
        try packageTypes(containerIdentifier, add: nil, remove: nil)
    }

    /// Declares folders with these extensions to be packages, in the container and on all of its devices. The declaration also applies to
    /// existing folders.
    ///
    /// Call this when a program starts; a repeated declaration has no effect.
    ///
    /// - Parameter extensions: The extensions without a dot: ASCII letters, digits, `-` and `_`, in any case.
    /// - Throws: `CocoaError.fileReadUnknown` with the daemon's reason, or `featureUnsupported` if nothing is mounted.
    public func declareUbiquitousPackageTypes(
        _ extensions: Set<String>, forContainerIdentifier containerIdentifier: String? = nil
    ) throws {
        let known = try ubiquitousPackageTypes(forContainerIdentifier: containerIdentifier)
        let new = extensions.filter { !known.contains($0.lowercased()) }
        if !new.isEmpty { _ = try packageTypes(containerIdentifier, add: new.sorted(), remove: nil) }
    }

    /// Withdraws declarations: folders with these extensions are ordinary folders again.
    ///
    /// - Throws: `CocoaError.fileReadUnknown` with the daemon's reason, or `featureUnsupported` if nothing is mounted.
    public func withdrawUbiquitousPackageTypes(
        _ extensions: Set<String>, forContainerIdentifier containerIdentifier: String? = nil
    ) throws {
        _ = try packageTypes(containerIdentifier, add: nil, remove: extensions.sorted())
    }

    private func packageTypes(_ container: String?, add: [String]?, remove: [String]?) throws -> Set<String> {
        guard let mount = ClaimRouter.shared.principalMount else {
            throw CoordinationFailure.error(
                .featureUnsupported, "There is no mount. Create one with `ubiquity mount`.", at: nil)
        }
        let request = PackageTypesRequest(
            container: container ?? ContainerName.cloudDocs.text, add: add, remove: remove)
        do throws(DaemonFailure) {
            let types = try mount.call(request)
            return Set(types.builtIn).union(types.declared)
        } catch {
            throw CoordinationFailure.error(.fileReadUnknown, error.description, at: nil)
        }
    }
}
