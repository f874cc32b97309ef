/// A program that is run in the place of the daemon's, and becomes the daemon.
package struct DaemonStandIn: Sendable {
    /// Holds `ubiquity`, and the program under the name `ubiquityd`.
    let folder: String
    let environment: [String: String]

    /// The daemon's own program, told other things by its environment.
    package init(of device: TestDevice, environment: [String: String]) {
        self.init(folder: device.binaries, environment: environment)
    }

    package init(folder: String, environment: [String: String]) {
        self.folder = folder
        self.environment = environment
    }
}
