package import CloudModel

/// What happens to the table.
package enum ClaimEvent: Sendable {
    case requested(ClaimID, ClaimRequest)
    /// Called off; a claim that is granted already stays.
    case cancelled(ClaimID)
    /// The accessor has returned.
    case finished(ClaimID)
    case answered(AskID, PresenterReply)

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
