package import CloudModel

/// A cloud into which the logs of another cloud can be copied, so that the devices of that cloud continue here.
package protocol CloudContinuing: CloudBackend {
    /// Records durably that this cloud has the first entries of another cloud's logs; `ends` has the last sequence of each log. Replaces
    /// what was recorded of that cloud. ``CloudBackend/connect(create:)`` returns it in ``CloudIdentity/former``.
    func record(former identity: String, ends: [ContainerName: LogSequence]) async throws
}
