import DaemonProtocol
import Foundation

/// Which account a program uses on a device.
struct UbiquityIdentity {
    /// The identifier of its bundle, or else the path of its executable file.
    let program: String
    let device: String
    /// The address of the cloud, and who the device is signed in as there, if the cloud knows accounts.
    let cloud: String
    let account: String?

    /// Digits that differ between identities and do not reveal them.
    var token: String {
        let text = [program, device, cloud, account ?? ""].joined(separator: "\u{0}")
        return text.hashed + "-" + "token\(text)".hashed
    }

    init(program: String, device: String, cloud: String, account: String?) {
        (self.program, self.device, self.cloud, self.account) = (program, device, cloud, account)
    }

    /// Nil where the device is not signed in.
    init?(_ status: MountStatus, program: String) {
        guard status.cloud.isSignedIn != false else { return nil }
        self.init(
            program: program, device: status.device.id, cloud: status.cloud.url, account: status.cloud.account)
    }

    /// Of the mount that programs use unless they name one; nil where there is none, or where its daemon does not answer.
    static func current() -> String? {
        // A daemon that does not answer is as good as none.
        guard let mount = ClaimRouter.shared.principalMount,
            let status = try? mount.call(StatusRequest(paths: []))
        else { return nil }
        return UbiquityIdentity(status.mount, program: thisProgram)?.token
    }

    private static let thisProgram: String = {
        // Without a name of its own or a file it is known by what it was started as.
        let file = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return Bundle.main.bundleIdentifier ?? file ?? ProcessInfo.processInfo.processName
    }()
}
