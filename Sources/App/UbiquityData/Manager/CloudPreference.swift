/// What a person decides about the cloud. The program asks and passes the choice to
/// ``UbiquitousDatabaseManager/answer(_:)``.
public enum UbiquitousCloudQuestion: String, Codable, Hashable, Sendable {
    /// The device is signed in for the first time: are databases to be in the cloud?
    case useCloud
    /// The preference was switched off: what becomes of the databases that are in the cloud?
    case turnedOff
}

public enum UbiquitousCloudAnswer: String, Codable, Hashable, Sendable, CaseIterable {
    /// To ``UbiquitousCloudQuestion/useCloud``.
    case use, doNotUse
    /// To ``UbiquitousCloudQuestion/turnedOff``: each database becomes one of this device only, and leaves the cloud.
    case keepLocalCopies
    /// To ``UbiquitousCloudQuestion/turnedOff``: the databases leave this device, and stay in the cloud and on the other devices.
    case delete
    /// To ``UbiquitousCloudQuestion/turnedOff``: nothing changes, and the preference is on again.
    case goOnUsing
}

/// The preference "use the cloud", with the account: event in, actions out. It is stored, and so are the actions that it returned, before
/// they are carried out.
struct CloudPreference: Codable, Hashable, Sendable {
    enum Event: Hashable, Sendable {
        /// The account as it is now; nil if the device is signed out or nothing is mounted.
        case account(String?)
        /// A person, or the program's settings, switched the preference.
        case turned(on: Bool)
        case answered(UbiquitousCloudAnswer)
    }

    enum Action: Hashable, Sendable {
        case ask(UbiquitousCloudQuestion)
        /// All databases of this device only become shared ones.
        case moveAllToCloud
        /// All shared databases become ones of this device only.
        case moveAllFromCloud
        /// Shared databases leave this device.
        case dropCopies
        case reportUnreachable
        case reportReachable
    }

    /// Nil until it was decided.
    private(set) var isOn: Bool?
    /// A question that was asked and not answered.
    private(set) var question: UbiquitousCloudQuestion?
    /// The account that was there last.
    private(set) var account: String?
    private(set) var isReachable = false

    /// Whether databases that peers share appear on this device. Until a person has answered what becomes of them, they stay as they are.
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
            // What is in the cloud stays on this device as it is, and cannot be exchanged.
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
        // It stays on until it is known what becomes of the databases.
        guard question != .turnedOff else { return [] }
        question = .turnedOff
        return [.ask(.turnedOff)]
    }

    /// An answer to another question, or to none, changes nothing.
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
