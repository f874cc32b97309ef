package import Basics

/// The changes requested by a `setattr`; nil fields stay unchanged.
package struct AttributeRequest: Sendable {
    package enum Time: Sendable {
        case now
        case at(Timestamp)

        func value(at now: Timestamp) -> Timestamp {
            switch self {
            case .now: now
            case .at(let value): value
            }
        }
    }
    package var permissions: UInt16?
    package var user: UInt32?
    package var group: UInt32?
    package var size: UInt64?
    package var accessed: Time?
    package var modified: Time?
    /// Whether to drop set-user-ID and set-group-ID, as a truncation by an ordinary user does.
    package var clearsSetID = false
    package init() {}

    /// Returns the same request with each `now` replaced by the given time.
    func resolved(at now: Timestamp) -> AttributeRequest {
        var request = self
        request.accessed = accessed.map { .at($0.value(at: now)) }
        request.modified = modified.map { .at($0.value(at: now)) }
        return request
    }

    var mayClearSetID: Bool { clearsSetID || user != nil || group != nil }

    var isTruncationOnly: Bool {
        size != nil && permissions == nil && user == nil && group == nil && accessed == nil && modified == nil
            && !clearsSetID
    }
}
