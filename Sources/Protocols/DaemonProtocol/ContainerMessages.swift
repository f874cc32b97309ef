/// Sets how the names of a container are compared, if requested, then reports how they are.
package struct ContainerNamesRequest: DaemonCall {
    package typealias Response = ContainerNamesResponse
    package static let verb = "containerNames"

    package let container: String
    /// Whether names differing in case only are to be equal; nil only asks.
    package let ignoresCase: Bool?

    package init(container: String, ignoresCase: Bool? = nil) {
        self.container = container
        self.ignoresCase = ignoresCase
    }
}

package struct ContainerNamesResponse: CallResponse {
    package static let kind = "containerNames"

    package let ignoresCase: Bool
    /// Whether the cloud has recorded that; until then, it counts on this device only.
    package let isInCloud: Bool

    package init(ignoresCase: Bool, isInCloud: Bool) {
        self.ignoresCase = ignoresCase
        self.isInCloud = isInCloud
    }
}
