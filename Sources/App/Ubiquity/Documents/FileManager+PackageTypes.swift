import CloudModel
import DaemonProtocol
public import Foundation

// Not of Apple's, whose programs export such types in their property list (`com.apple.package`).
extension FileManager {
    /// The extensions by which folders of a container are packages, one document each: those that every container has, and those that
    /// programs declared.
    ///
    /// - Parameter containerIdentifier: As for ``url(forUbiquityContainerIdentifier:)``.
    /// - Throws: What the daemon says, or that nothing is mounted.
    public func ubiquitousPackageTypes(
        forContainerIdentifier containerIdentifier: String? = nil
    ) throws -> Set<String> {
        try packageTypes(containerIdentifier, add: nil, remove: nil)
    }

    /// Declares folders with these extensions to be packages, in the container and for all of its devices, from then on and also those that are
    /// there. To be called when a program starts; declaring again what is declared does nothing.
    ///
    /// - Parameter extensions: Without a dot; letters of ASCII, digits, `-` and `_`, in any case.
    /// - Throws: What the daemon says, or that nothing is mounted.
    public func declareUbiquitousPackageTypes(
        _ extensions: Set<String>, forContainerIdentifier containerIdentifier: String? = nil
    ) throws {
        let known = try ubiquitousPackageTypes(forContainerIdentifier: containerIdentifier)
        let new = extensions.filter { !known.contains($0.lowercased()) }
        if !new.isEmpty { _ = try packageTypes(containerIdentifier, add: new.sorted(), remove: nil) }
    }

    /// Takes declarations back: folders with these extensions are folders again.
    ///
    /// - Throws: What the daemon says, or that nothing is mounted.
    public func withdrawUbiquitousPackageTypes(
        _ extensions: Set<String>, forContainerIdentifier containerIdentifier: String? = nil
    ) throws {
        _ = try packageTypes(containerIdentifier, add: nil, remove: extensions.sorted())
    }

    private func packageTypes(_ container: String?, add: [String]?, remove: [String]?) throws -> Set<String> {
        guard let mount = ClaimRouter.shared.principalMount else {
            throw CoordinationFailure.error(.featureUnsupported, "Nothing is mounted that could be asked.", at: nil)
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
