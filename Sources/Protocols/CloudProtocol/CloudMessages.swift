/// `GET` and `PUT /v1/cloud`: which cloud this account's is.
package struct CloudDescription: Hashable, Codable, Sendable {
    package let identity: String
    /// What it was called before a restore or the removal of a container, each with how many entries of each log of that time are still
    /// there. A device that knows it by such a name, and has seen no more than those, goes on; absent where there are none.
    package let former: [String: [String: UInt64]]?
    package init(identity: String, former: [String: [String: UInt64]]? = nil) {
        self.identity = identity
        self.former = former
    }
}

/// `GET /v1/containers`.
package struct ContainerList: Hashable, Codable, Sendable {
    package let containers: [String]
    package init(containers: [String]) { self.containers = containers }
}

/// `POST /v1/containers/NAME/log`: where the entry is.
package struct AppendResponse: Hashable, Codable, Sendable {
    package let sequence: UInt64
    package init(sequence: UInt64) { self.sequence = sequence }
}

/// `GET /v1/space`: bytes in all and free of what the account may use.
package struct SpaceResponse: Hashable, Codable, Sendable {
    package let total: UInt64
    package let free: UInt64
    package init(total: UInt64, free: UInt64) {
        self.total = total
        self.free = free
    }
}

/// `POST /v1/sign-in`: exchanges a code that the server's owner handed out for a token.
package struct SignInRequest: Hashable, Codable, Sendable {
    package let code: String
    /// What to call the device in the server's list.
    package let device: String
    /// What the account's authenticator app shows, or a recovery code, where the account asks for one.
    package let secondFactor: String?
    package init(code: String, device: String, secondFactor: String? = nil) {
        self.code = code
        self.device = device
        self.secondFactor = secondFactor
    }
}

/// The token is returned once; the server keeps only its digest.
package struct SignInResponse: Hashable, Codable, Sendable {
    package let token: String
    package let account: String
    /// The device's number in the server's list.
    package let device: Int64
    package init(token: String, account: String, device: Int64) {
        self.token = token
        self.account = account
        self.device = device
    }
}

/// `GET /v1/news`: how far each container's log is; one JSON object in a line. The first line of a stream names all containers,
/// the others those that changed; a line without containers only shows that the connection lives.
package struct ChangeFeedEvent: Hashable, Codable, Sendable {
    /// Grows with every change of the account; what `GET /v1/news?after=…` compares.
    package let revision: UInt64
    package let containers: [String: UInt64]
    package init(revision: UInt64, containers: [String: UInt64]) {
        self.revision = revision
        self.containers = containers
    }
}
