/// `GET` and `PUT /v1/cloud`: the identity of this account's cloud.
package struct CloudDescription: Hashable, Codable, Sendable {
    package let identity: String
    package init(identity: String) { self.identity = identity }
}

/// `GET /v1/containers`.
package struct ContainerList: Hashable, Codable, Sendable {
    package let containers: [String]
    package init(containers: [String]) { self.containers = containers }
}

/// `POST /v1/containers/NAME/log`: the position of the entry.
package struct AppendResponse: Hashable, Codable, Sendable {
    package let sequence: UInt64
    package init(sequence: UInt64) { self.sequence = sequence }
}

/// `GET /v1/space`: the account's total and free bytes.
package struct SpaceResponse: Hashable, Codable, Sendable {
    package let total: UInt64
    package let free: UInt64
    package init(total: UInt64, free: UInt64) {
        self.total = total
        self.free = free
    }
}

/// `POST /v1/sign-in`: exchanges a code handed out by the server's owner for a token.
package struct SignInRequest: Hashable, Codable, Sendable {
    package let code: String
    /// The name of the device in the server's list.
    package let device: String
    /// A code from the account's authenticator app, or a recovery code, if the account requires either.
    package let secondFactor: String?
    /// The account with which the device is signed in: a different account's code is refused, and stays valid. Nil for
    /// any account.
    package let account: String?
    package init(code: String, device: String, secondFactor: String? = nil, account: String? = nil) {
        self.code = code
        self.device = device
        self.secondFactor = secondFactor
        self.account = account
    }
}

/// `POST /v1/sign-in`: the token, returned only once; the server keeps only its digest.
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

/// `GET /v1/news`: the length of each container's log, as a JSON object per line. The first line of a stream names all
/// containers, and each further line the changed ones; a line without containers only shows that the connection is
/// alive.
package struct ChangeFeedEvent: Hashable, Codable, Sendable {
    /// A number increased by every change of the account; `GET /v1/news?after=…` compares it.
    package let revision: UInt64
    package let containers: [String: UInt64]
    package init(revision: UInt64, containers: [String: UInt64]) {
        self.revision = revision
        self.containers = containers
    }
}
