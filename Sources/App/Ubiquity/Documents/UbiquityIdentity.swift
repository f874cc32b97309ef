import DaemonProtocol
import Foundation

/// A program's account on a device.
struct UbiquityIdentity {
    /// The program's bundle identifier, or else the path of its executable file.
    let program: String
    let device: String
    /// The cloud's address, and the device's signed-in account there, if the cloud has accounts.
    let cloud: String
    let account: String?

    /// A token that distinguishes identities without revealing them.
    var token: String {
        let text = [program, device, cloud, account ?? ""].joined(separator: "\u{0}")
        return text.hashed + "-" + "token\(text)".hashed
    }

    init(program: String, device: String, cloud: String, account: String?) {
        (self.program, self.device, self.cloud, self.account) = (program, device, cloud, account)
    }

    /// Returns nil if the device is not signed in.
    init?(_ status: MountStatus, program: String) {
        guard status.cloud.isSignedIn != false else { return nil }
        self.init(
            program: program, device: status.device.id, cloud: status.cloud.url, account: status.cloud.account)
    }

    /// Returns the token for the principal mount; nil if there is none, or if its daemon does not respond.
    static func current() -> String? {
        // An unresponsive daemon is treated as absent.
        guard let mount = ClaimRouter.shared.principalMount,
            let status = try? mount.call(StatusRequest(paths: []))
        else { return nil }
        return UbiquityIdentity(status.mount, program: thisProgram)?.token
    }

    private static let thisProgram: String = {
        // Without a bundle identifier or an executable file, the program is identified by its process name.
        let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return Bundle.main.bundleIdentifier ?? file ?? ProcessInfo.processInfo.processName
    }()
}
