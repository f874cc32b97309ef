/// A person's decision about the cloud. The program asks and passes the choice to
/// ``UbiquitousDatabaseManager/answer(_:)``.
public enum UbiquitousCloudQuestion: String, Codable, Hashable, Sendable {
    /// The device is signed in for the first time: should databases be in the cloud?
    case useCloud
    /// The preference was switched off: what happens to the databases in the cloud?
    case turnedOff
}

public enum UbiquitousCloudAnswer: String, Codable, Hashable, Sendable, CaseIterable {
    /// To ``UbiquitousCloudQuestion/useCloud``.
    case use, doNotUse
    /// To ``UbiquitousCloudQuestion/turnedOff``: each database becomes local, and leaves the cloud.
    case keepLocalCopies
    /// To ``UbiquitousCloudQuestion/turnedOff``: the databases leave this device, and stay in the cloud and on its
    /// remaining devices.
    case delete
    /// To ``UbiquitousCloudQuestion/turnedOff``: nothing changes, and the preference is on again.
    case goOnUsing
}

/// The preference "use the cloud", with the account: event in, actions out. It is stored with its returned actions,
/// before they are carried out.
struct CloudPreference: Codable, Hashable, Sendable {
    enum Event: Hashable, Sendable {
        /// The current account; nil if the device is signed out or nothing is mounted.
        case account(String?)
        /// A person, or the program's settings, switched the preference.
        case turned(on: Bool)
        case answered(UbiquitousCloudAnswer)
    }

    enum Action: Hashable, Sendable {
        case ask(UbiquitousCloudQuestion)
        /// All local databases become shared.
        case moveAllToCloud
        /// All shared databases become local.
        case moveAllFromCloud
        /// Shared databases leave this device.
        case dropCopies
        case reportUnreachable
        case reportReachable
    }

    /// Nil if undecided.
    private(set) var isOn: Bool?
    /// An unanswered question.
    private(set) var question: UbiquitousCloudQuestion?
    /// The last available account.
    private(set) var account: String?
    private(set) var isReachable = false

    /// Whether databases shared by peers appear on this device. Until a person has decided about them, they stay as
    /// they are.
    var isFollowing: Bool { isOn == true && isReachable }

    mutating func handle(_ event: Event) -> [Action] {
        switch event {
        case .account(let account): changeAccount(account)
        case .turned(let isOn): turn(isOn)
        case .answered(let answer): take(answer)
        }
    }

    private mutating func changeAccount(_ new: String?) -> [Action] {
        guard let new else {
            guard isReachable else { return [] }
            isReachable = false
            // Shared databases stay on this device as they are, and cannot be exchanged.
            return isOn == true ? [.reportUnreachable] : []
        }
        let isBack = !isReachable
        let isOther = account != new
        (account, isReachable) = (new, true)
        if isOn == nil, question == nil {
            question = .useCloud
            return [.ask(.useCloud)]
        }
        return isOn == true && (isBack || isOther) ? [.reportReachable] : []
    }

    private mutating func turn(_ on: Bool) -> [Action] {
        if on {
            let isNew = isOn != true
            (isOn, question) = (true, nil)
            return isNew ? [.moveAllToCloud] : []
        }
        guard isOn == true else {
            (isOn, question) = (false, nil)
            return []
        }
        // It stays on until a person has decided about the databases.
        guard question != .turnedOff else { return [] }
        question = .turnedOff
        return [.ask(.turnedOff)]
    }

    /// An answer to a different question, or without a question, changes nothing.
    private mutating func take(_ answer: UbiquitousCloudAnswer) -> [Action] {
        switch (question, answer) {
        case (.useCloud, .use): decide(true, [.moveAllToCloud])
        case (.useCloud, .doNotUse): decide(false, [])
        case (.turnedOff, .keepLocalCopies): decide(false, [.moveAllFromCloud])
        case (.turnedOff, .delete): decide(false, [.dropCopies])
        case (.turnedOff, .goOnUsing): decide(true, [])
        default: []
        }
    }

    private mutating func decide(_ on: Bool, _ actions: [Action]) -> [Action] {
        (isOn, question) = (on, nil)
        return actions
    }
}
