import Testing

@testable import UbiquityData

@Suite("The preference about the cloud")
struct CloudPreferenceTests {
    private static let events: [CloudPreference.Event] =
        [.account(nil), .account("a"), .account("b"), .turned(on: true), .turned(on: false)]
        + UbiquitousCloudAnswer.allCases.map { .answered($0) }

    private struct Transition {
        let before: CloudPreference
        let event: CloudPreference.Event
        let actions: [CloudPreference.Action]
        let after: CloudPreference
    }

    /// All transitions from all reachable states.
    private static let transitions: [Transition] = {
        var transitions: [Transition] = []
        var seen: Set<CloudPreference> = [CloudPreference()]
        var waiting = [CloudPreference()]
        while let before = waiting.popLast() {
            for event in events {
                var after = before
                let actions = after.handle(event)
                transitions.append(Transition(before: before, event: event, actions: actions, after: after))
                if seen.insert(after).inserted { waiting.append(after) }
            }
        }
        return transitions
    }()

    private static func after(_ events: CloudPreference.Event...) -> CloudPreference {
        var preference = CloudPreference()
        for event in events { _ = preference.handle(event) }
        return preference
    }

    private static let used: CloudPreference = after(.account("a"), .answered(.use))

    @Test("the first run with an account asks once, and stores the answer")
    func firstRun() {
        var preference = CloudPreference()
        #expect(preference.handle(.account(nil)) == [])
        #expect(preference.handle(.account("a")) == [.ask(.useCloud)])
        #expect(preference.handle(.account("a")) == [])
        var other = preference
        #expect(preference.handle(.answered(.use)) == [.moveAllToCloud])
        #expect(preference.isOn == true && preference.isFollowing)
        #expect(other.handle(.answered(.doNotUse)) == [])
        #expect(other.isOn == false && !other.isFollowing)
        for event in [.account(nil), .account("a"), .account("b")] as [CloudPreference.Event] {
            #expect(!other.handle(event).contains(.ask(.useCloud)))
        }
    }

    @Test("switched on, all databases are moved without a question")
    func on() {
        var preference = Self.after(.account("a"), .answered(.doNotUse))
        #expect(preference.handle(.turned(on: true)) == [.moveAllToCloud])
        #expect(preference.handle(.turned(on: true)) == [])
    }

    @Test(
        "switched off, a question has three answers, and until then it stays on",
        arguments: [
            (UbiquitousCloudAnswer.keepLocalCopies, [CloudPreference.Action.moveAllFromCloud], false),
            (.delete, [.dropCopies], false), (.goOnUsing, [], true),
        ])
    func off(_ answer: UbiquitousCloudAnswer, _ actions: [CloudPreference.Action], _ isOn: Bool) {
        var preference = Self.used
        #expect(preference.handle(.turned(on: false)) == [.ask(.turnedOff)])
        #expect(preference.isOn == true && preference.isFollowing)
        #expect(preference.handle(.answered(answer)) == actions)
        #expect(preference.isOn == isOn && preference.question == nil)
    }

    @Test("an account that goes and comes back is reported, and nothing is moved or removed")
    func account() {
        var preference = Self.used
        #expect(preference.handle(.account(nil)) == [.reportUnreachable])
        #expect(preference.handle(.account(nil)) == [])
        #expect(!preference.isFollowing)
        #expect(preference.handle(.account("a")) == [.reportReachable])
        #expect(preference.isFollowing)
        #expect(preference.handle(.account("b")) == [.reportReachable], "another account")
    }

    @Test("no other event than the right answer to an open question takes databases out of the cloud or off the device")
    func exhaustive() {
        #expect(Self.transitions.count > 150)
        for transition in Self.transitions {
            let (before, event, actions, after) =
                (transition.before, transition.event, transition.actions, transition.after)
            let text: Comment = "\(before) \(event)"
            if actions.contains(.moveAllFromCloud) || actions.contains(.dropCopies) {
                #expect(before.isOn == true && before.question == .turnedOff && after.isOn == false, text)
                #expect(event == .answered(.keepLocalCopies) || event == .answered(.delete), text)
            }
            if actions.contains(.moveAllToCloud) { #expect(before.isOn != true && after.isOn == true, text) }
            if case .account = event {
                #expect(before.isOn == after.isOn, text)
                let isReport = actions.allSatisfy {
                    [.reportReachable, .reportUnreachable, .ask(.useCloud)].contains($0)
                }
                #expect(isReport && actions.count <= 1, text)
            }
            if case .answered = event, before.question == nil { #expect(actions.isEmpty && after == before, text) }
            // A question is asked when it begins, and only then.
            let asked = actions.compactMap { if case .ask(let question) = $0 { question } else { nil } }
            #expect(asked == (after.question == before.question ? [] : [after.question].compactMap(\.self)), text)
            #expect(after.isFollowing == (after.isOn == true && after.isReachable), text)
            #expect(after.question != .turnedOff || after.isOn == true, text)
        }
    }
}
