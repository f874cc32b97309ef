package import CloudModel

/// An event for the table.
package enum ClaimEvent: Sendable {
    case requested(ClaimID, ClaimRequest)
    /// The client cancelled the request; an already granted claim stays.
    case cancelled(ClaimID)
    /// The accessor has returned.
    case finished(ClaimID)
    case answered(AskID, PresenterReply)

    case registered(PresenterID, PresenterRegistration)
    case unregistered(PresenterID)

    /// Content or metadata of an item changed; `by` is the claim of the change, if any.
    case changed(ItemNumber, by: ClaimID?)
    case created(ItemNumber, at: ItemPlace, by: ClaimID?)
    /// The tree already has the item at its new place. An item previously there has been reported as deleted.
    case moved(ItemNumber, from: ItemPlace, to: ItemPlace, by: ClaimID?)
    case deleted(ItemNumber, from: ItemPlace, by: ClaimID?)
    /// A new item has replaced another, and is that document from now on: after a save by rename, or for a remote
    /// version.
    case replaced(ItemNumber, with: ItemNumber, by: ClaimID?)
    /// The item was renamed to become the backup of a new file at its place, as editors do when they save.
    case setAside(ItemNumber, from: ItemPlace)
    case attributesChanged(ItemNumber, UbiquityAttributes)
    case versionChanged(ItemNumber, VersionID, VersionChange)

    case clientFroze(ClientID)
    case clientThawed(ClientID)
    case clientDied(ClientID)
    /// Time has passed. To be sent at ``ClaimTable/nextWake``.
    case ticked
}
