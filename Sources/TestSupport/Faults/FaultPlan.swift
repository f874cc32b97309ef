/// The fault to inject at each call. A pure decision without side effects.
package struct FaultPlan: Sendable {
    package enum Fault: Sendable, Equatable {
        case kill
        /// The call fails with this error number and is not executed.
        case error(Int32)
        /// The call waits until the plan has ended, and is then executed.
        case hold
    }

    package enum Verdict: Sendable, Equatable {
        case goOn, hold, kill
        case fail(Int32)
    }

    /// The fault to inject; nil to count only.
    package var fault: Fault?
    /// The first call to strike, counted from 1 when the plan begins.
    package var position: Int
    /// Whether the fault strikes all later calls as well.
    package var lasts: Bool
    /// Returns whether a call counts.
    package var concerns: @Sendable (ObservedCall) -> Bool

    package init(
        _ fault: Fault? = nil, at position: Int = 1, lasts: Bool = false,
        concerns: @escaping @Sendable (ObservedCall) -> Bool
    ) {
        self.fault = fault
        self.position = position
        self.lasts = lasts
        self.concerns = concerns
    }

    /// How many calls have counted so far.
    package private(set) var count = 0
    /// The first call struck.
    package private(set) var struck: ObservedCall?

    package mutating func decide(_ call: ObservedCall) -> Verdict {
        guard concerns(call) else { return .goOn }
        count += 1
        guard let fault, count == position || (lasts && count > position) else { return .goOn }
        if struck == nil { struck = call }
        return switch fault {
        case .kill: .kill
        case .hold: .hold
        case .error(let number): .fail(number)
        }
    }
}
