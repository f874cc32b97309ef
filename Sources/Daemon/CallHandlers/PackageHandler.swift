import CloudModel
import ControlServer
import DaemonProtocol
import LocalMetadata
import Sync
import VirtualFileSystem

struct PackageHandler: NounHandler {
    let device: MountedDevice

    func register(in router: inout CallRouter) {
        router.on(packageTypes)
    }

    /// Declares or withdraws extensions of packages, and returns the current extensions. The change is durable on this
    /// device when this method returns; the next batch sends it to all devices.
    func packageTypes(_ request: PackageTypesRequest) async throws -> PackageTypesResponse {
        let add = try (request.add ?? []).map(Self.packageType)
        let remove = try (request.remove ?? []).map(Self.packageType)
        let declared = try await blocking { [self] in
            guard !add.isEmpty || !remove.isEmpty else {
                return try device.store(request.container).map { try device.declaredTypes(of: $0) } ?? []
            }
            let container = try device.made(request.container)
            let before = try device.declaredTypes(of: container)
            let after = before.union(add).subtracting(remove)
            guard after != before else { return before }
            guard after.count <= PackageTypes.maximumCount else {
                throw DaemonFailure(
                    .quota, "a container declares at most \(PackageTypes.maximumCount) package types",
                    advice: "Withdraw those that are not used.")
            }
            try device.files.setPackageTypes(after, in: container)
            try device.metadata.makeDurable()
            return after
        }
        device.engine.localTreeChanged()
        return PackageTypesResponse(builtIn: PackageTypes.extensions.sorted(), declared: declared.sorted())
    }

    private static func packageType(_ text: String) throws(DaemonFailure) -> String {
        let type = (text.hasPrefix(".") ? String(text.dropFirst()) : text).lowercased()
        guard PackageTypes.isValid(type) else {
            throw DaemonFailure(
                .invalidRequest, "“\(text.prefix(100))” cannot be the extension of packages",
                advice: "It has 1 to 64 letters of ASCII, digits, - and _.")
        }
        guard !PackageTypes.extensions.contains(type) else {
            throw DaemonFailure(.invalidRequest, "folders with the extension \(type) are packages in every container")
        }
        return type
    }
}
