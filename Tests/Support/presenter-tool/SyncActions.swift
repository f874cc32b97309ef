import Foundation
import Ubiquity

/// A program's actions on a document with paused sync, and on versions it adds. Prints a line for each action.
struct SyncActions {
    let url: URL

    func run(_ actions: ArraySlice<String>) async throws {
        for action in actions {
            do { PresenterTool.say(try await perform(action)) } catch {
                let cause = (error as NSError).userInfo[NSUnderlyingErrorKey] as? NSError
                PresenterTool.say(
                    cause?.code == UbiquityLocalVersionConflictingWithServerError ? "\(action): conflict" : "\(error)")
            }
        }
    }

    private func perform(_ action: String) async throws -> String {
        let files = FileManager.default
        switch action {
        case "pause": try await files.pauseSyncForUbiquitousItem(at: url)
        case "resume": try await files.resumeSyncForUbiquitousItem(at: url)
        case "resume unless conflict":
            try await files.resumeSyncForUbiquitousItem(at: url, with: .afterUploadWithFailOnConflict)
        case "drop": try await files.resumeSyncForUbiquitousItem(at: url, with: .dropLocalChanges)
        case "upload":
            let version = try await files.uploadLocalVersionOfUbiquitousItem(
                at: url, withConflictResolutionPolicy: .conflictPolicyFailOnConflict)
            return "upload of \(version.localizedNameOfSavingComputer ?? "unknown")"
        case "latest":
            let version = try await files.fetchLatestRemoteVersionOfItem(at: url)
            return "latest \(try String(contentsOf: version.url, encoding: .utf8))"
        case "take latest":
            try await files.fetchLatestRemoteVersionOfItem(at: url).replaceItem(at: url)
        case "add": _ = try NSFileVersion.addOfItem(at: url, withContentsOf: url)
        case "others":
            let texts = (NSFileVersion.otherVersionsOfItem(at: url) ?? []).map { version in
                (try? String(contentsOf: version.url, encoding: .utf8)) ?? "unreadable"
            }
            return "others \(texts.joined(separator: ", "))"
        case "publish":
            var expiration: NSDate?
            let link = try files.url(forPublishingUbiquitousItemAt: url, expiration: &expiration)
            let days = expiration.map { Int((($0 as Date).timeIntervalSinceNow / 86_400).rounded()) }
            return "\(link.absoluteString) for \(days ?? 0) days"
        case "controls":
            let values = try url.promisedItemResourceValues(forKeys: [
                .ubiquitousItemSupportedSyncControlsKey, .ubiquitousItemIsSyncPausedKey,
            ])
            let canFail = values.ubiquitousItemSupportedSyncControls?.contains(.failUploadOnConflict) == true
            return "\(values.ubiquitousItemIsSyncPaused == true ? "paused" : "running"), \(canFail)"
        default: try Data(action.utf8).write(to: url)
        }
        return action
    }
}
