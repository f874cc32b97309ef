/// A program started in place of the daemon's program, and becoming the daemon.
package struct DaemonStandIn: Sendable {
    /// The folder with `ubiquity`, and with the program under the name `ubiquityd`.
    let folder: String
    let environment: [String: String]

    /// Stands in for a device's daemon by the daemon's own program with additional environment variables.
    package init(of device: TestDevice, environment: [String: String]) {
        self.init(folder: device.binaries, environment: environment)
    }

    package init(folder: String, environment: [String: String]) {
        self.folder = folder
        self.environment = environment
    }
}
