package import CloudModel

/// What happens to the table.
package enum ClaimEvent: Sendable {
    case requested(ClaimID, ClaimRequest)
    /// Called off; a claim that is granted already stays.
    case cancelled(ClaimID)
    /// The accessor has returned.
    case finished(ClaimID)
    case answered(AskID, PresenterAnswer)

    case registered(PresenterID, PresenterRegistration)
    case unregistered(PresenterID)

    /// Content or metadata of an item changed; `by` is the claim under which it was done, if any.
    case changed(ItemNumber, by: ClaimID?)
    case created(ItemNumber, at: ItemPlace, by: ClaimID?)
    /// The tree has it at its new place already. What was there before was reported as deleted.
    case moved(ItemNumber, from: ItemPlace, to: ItemPlace, by: ClaimID?)
    case deleted(ItemNumber, from: ItemPlace, by: ClaimID?)
    /// A new item has taken the place of another, and is that document from now on: a save by rename, a version from elsewhere.
    case replaced(ItemNumber, with: ItemNumber, by: ClaimID?)
    /// The item was renamed to be the backup of what will be made at its place: an editor that saves.
    case setAside(ItemNumber, from: ItemPlace)
    case attributesChanged(ItemNumber, UbiquityAttributes)
    case versionChanged(ItemNumber, VersionID, VersionChange)

    case clientFroze(ClientID)
    case clientThawed(ClientID)
    case clientDied(ClientID)
    /// Time has passed. Due at ``ClaimTable/nextWake``.
    case ticked
}

/// What is to be done now, in this order.
package enum ClaimAction: Equatable, Sendable {
    /// The accessor may run, with the items as they are now, one for each access.
    case grant(ClaimID, [ItemKey])
    case refuse(ClaimID, ClaimError)
    /// A granted claim has ended without its client: it was frozen for too long.
    case revoke(ClaimID, ClientID)
    /// To be answered once, after all of the messages were handled in order.
    case ask(AskID, PresenterID, [PresenterMessage])
    /// The access that the presenter made way for is over.
    case reacquire(AskID, PresenterID)
    case notify(PresenterID, PresenterNotice)
    case report(ClaimReport)
}

/// What somebody who looks after the machine should know.
package enum ClaimReport: Equatable, Sendable {
    /// It did not answer in time; it is not waited for again before it answers.
    case presenterSilent(PresenterID, ClaimID)
    /// It waits, inside a callback, for what the claim would do: asking it would never end.
    case presenterPassedOver(PresenterID, ClaimID)
    /// The claim of a client that was frozen for too long.
    case claimRevoked(ClaimID, ClientID)
}

/// How long is waited for others.
package struct ClaimBounds: Sendable {
    /// Ten seconds: longer than saving a large document takes, shorter than somebody's patience.
    package var answer: Duration = .seconds(10)
    /// Half a minute: a debugger or a suspended laptop gets its accessor back, others are not held up for ever.
    package var frozenHolder: Duration = .seconds(30)

    package init() {}
}
