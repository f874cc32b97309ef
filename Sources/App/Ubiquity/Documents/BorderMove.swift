import Basics
import DaemonProtocol
import DocumentMoves
import Foundation
import Glibc

/// Moves an item into or out of a container.
///
/// The item is copied to a hidden name beside its destination, synced to the disk and atomically renamed into place.
/// Only then do its presenters follow it, and the original is removed. At any moment, even after a power loss, the item
/// is complete in one of the two places.
struct BorderMove {
    let url: URL
    let destination: URL
    private let source: ClaimRouter.Route
    private let target: ClaimRouter.Route

    /// - Throws: `CocoaError` if both places are on the same side of the border, the item is a whole container, or there is nothing to
    ///   move.
    init(isIntoCloud: Bool, from url: URL, to destination: URL) throws {
        self.url = url
        self.destination = destination
        (source, target) = (ClaimRouter.shared.route(url), ClaimRouter.shared.route(destination))
        guard (target.mount != nil) == isIntoCloud else {
            throw CoordinationFailure.error(
                .fileWriteInvalidFileName,
                isIntoCloud ? "The destination is not in a container." : "The destination is in a container.",
                at: destination)
        }
        guard (source.mount != nil) != isIntoCloud else {
            throw CoordinationFailure.error(
                .fileWriteInvalidFileName,
                isIntoCloud ? "The item is already in a container." : "The item is not in a container.", at: url)
        }
        guard source.exists else {
            throw CoordinationFailure.error(.fileNoSuchFile, "\(url.path) does not exist.", at: url)
        }
        for (route, place) in [(source, url), (target, destination)] {
            guard let mount = route.mount, !route.path.dropFirst(mount.root.count + 1).contains("/") else { continue }
            throw CoordinationFailure.error(
                .fileWriteNoPermission,
                "\(place.path) is a container, and a container cannot be moved out of the cloud as a whole.",
                at: place)
        }
    }

    /// Performs the move. May take as long as a download.
    func run() throws {
        if let mount = source.mount {
            do { try mount.download(source.path) } catch { throw error.cocoa(url) }
        }
        var coordination: NSError?
        var result: Result<Void, any Error>?
        NSFileCoordinator().coordinate(
            writingItemAt: url, options: .forMoving, writingItemAt: destination, options: .forReplacing,
            error: &coordination
        ) { from, to in
            result = Result { try carry(from, to) }
        }
        // A completed move is a success even if its claims failed afterwards.
        guard let result else { throw coordination ?? CocoaError(.fileWriteUnknown) }
        try result.get()
    }

    private func carry(_ from: URL, _ to: URL) throws {
        let move = DocumentMove(from: Array(from.path.utf8), to: Array(to.path.utf8))
        do { try move.copyToPlace() } catch { throw failure(error) }
        PresenterDirectory.shared.move(ClaimRouter.shared.route(from), to: ClaimRouter.shared.route(to))
        do { try move.removeOriginal() } catch {
            let message = "It was copied to \(to.path), but the original at \(from.path) could not be removed: \(error)"
            throw CoordinationFailure.error(.fileWriteUnknown, message, at: from)
        }
    }

    private func failure(_ error: Errno) -> NSError {
        switch error.code {
        case EEXIST:
            CoordinationFailure.error(.fileWriteFileExists, "\(destination.path) already exists.", at: destination)
        case EBUSY:
            CoordinationFailure.error(
                .fileLocking, "A program that does not use file coordination changed \(url.path) while it was copied.",
                at: url)
        case ENOSPC, EDQUOT:
            CoordinationFailure.error(
                .fileWriteOutOfSpace, "\(destination.path) could not be written: \(error)", at: destination)
        default:
            CoordinationFailure.error(
                .fileWriteUnknown, "It could not be moved to \(destination.path): \(error)", at: destination)
        }
    }
}
