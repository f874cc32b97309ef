/// Introduces the client; the daemon refuses a different major version before anything else.
package struct HelloRequest: DaemonCall {
    package typealias Response = HelloResponse
    package static let verb = "hello"

    package let version: ProtocolVersion
    /// The name of the client program, for the log.
    package let program: String
    /// The highest version of binary frames supported by the client; nil if it speaks JSON only.
    package let binaryFrames: UInt32?

    package init(version: ProtocolVersion = .current, program: String, binaryFrames: UInt32? = nil) {
        self.version = version
        self.program = program
        self.binaryFrames = binaryFrames
    }
}

package struct HelloResponse: CallResponse {
    package static let kind = "hello"

    package let version: ProtocolVersion
    package let pid: Int32
    /// The mount point of the daemon.
    package let mount: String
    /// The state directory of the daemon.
    package let state: String
    /// The version of binary frames accepted and possibly sent by the daemon on this connection; nil if it speaks JSON
    /// only.
    package var binaryFrames: UInt32?

    package init(
        version: ProtocolVersion = .current, pid: Int32, mount: String, state: String, binaryFrames: UInt32? = nil
    ) {
        self.version = version
        self.pid = pid
        self.mount = mount
        self.state = state
        self.binaryFrames = binaryFrames
    }
}

/// Unmounts and ends the daemon. The response is sent before the daemon ends, so the client then waits for the mount to disappear.
package struct StopRequest: DaemonCall {
    package typealias Response = DoneResponse
    package static let verb = "stop"

    /// Whether to upload everything first; otherwise the queue is kept for the next start.
    package let upload: Bool
    package init(upload: Bool) { self.upload = upload }
}

package struct DoneResponse: CallResponse {
    package static let kind = "done"

    package init() {}
}

package struct DiagnoseRequest: DaemonCall {
    package typealias Response = DiagnoseResponse
    package static let verb = "diagnose"

    package init() {}
}

package struct DiagnoseResponse: CallResponse {
    package static let kind = "diagnose"

    /// The report as readable text.
    package let report: String
    /// The number of kernel requests since the mount, by their names in its protocol; nil from a daemon that does not
    /// count them.
    package let requests: [String: UInt64]?
    /// The number of requests being handled.
    package let requestsInProgress: UInt64?
    /// The costs of these requests: `reads` and `commits` are transactions of the database, `syncs` flushes of the
    /// disk.
    package let requestCosts: [String: UInt64]?

    package init(
        report: String, requests: [String: UInt64]? = nil, requestsInProgress: UInt64? = nil,
        requestCosts: [String: UInt64]? = nil
    ) {
        self.report = report
        self.requests = requests
        self.requestsInProgress = requestsInProgress
        self.requestCosts = requestCosts
    }
}
