/// Why the daemon did not fulfil a request, in words for its user.
package struct DaemonFailure: Error, Codable, Hashable, Sendable, CustomStringConvertible {
    /// The kind of failure, for programs. Clients treat a code they do not know as ``failed``.
    package enum Code: String, Codable, Sendable, CaseIterable {
        case notFound
        case invalidRequest
        /// The two sides use different major versions of the protocol.
        case versionMismatch
        case unsupported
        /// The cloud cannot be reached.
        case offline
        case timedOut
        /// There are too many requests or clients, or a file is in use.
        case busy
        /// Content only on this device may not be evicted.
        case notUploaded
        case pinned
        case diskFull
        case quota
        case damaged
        case permissionDenied
        /// Another daemon holds the state directory.
        case stateInUse
        /// The mount point cannot be used.
        case mountPoint
        /// The request would have waited for itself.
        case deadlock
        /// Another device wrote the content to be replaced by the request.
        case conflict
        /// The rest waits until the user resumes its sync.
        case paused
        case cancelled
        case failed

        package init(from decoder: any Decoder) throws {
            self = Self(rawValue: try decoder.singleValueContainer().decode(String.self)) ?? .failed
        }
    }

    package let code: Code
    /// The description of the event, without a period.
    package let message: String
    /// The failure's path: relative to the mount for an item, absolute otherwise.
    package let path: String?
    /// The advice for the user, as a complete sentence.
    package let advice: String?
    package let errno: Int32?

    package init(
        _ code: Code, _ message: String, path: String? = nil, advice: String? = nil, errno: Int32? = nil
    ) {
        self.code = code
        self.message = message
        self.path = path
        self.advice = advice
        self.errno = errno
    }

    /// `what happened: path. What to do.`
    package var description: String {
        let subject = path.map { "\(message): \($0)" } ?? message
        return advice.map { "\(subject). \($0)" } ?? subject
    }
}
