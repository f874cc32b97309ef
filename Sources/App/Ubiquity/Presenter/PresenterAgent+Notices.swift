import Foundation

extension PresenterAgent {
    /// A message without an answer.
    enum News: Hashable, Sendable {
        case didChange, wasDeleted
        case didMove(URL)
        case subitemDidAppear(URL), subitemDidChange(URL), subitemWasDeleted(URL)
        case subitemDidMove(URL, URL)
        /// Versions by their identifiers.
        case didGain(String), didResolve(String)
        case subitemDidGain(URL, String), subitemDidResolve(URL, String)
        case didLose(String), subitemDidLose(URL, String)
        case didChangeAttributes(Set<URLResourceKey>)

        /// Calls the method of the presenter that is for it. On the presenter's queue.
        func notify(_ value: any NSFilePresenter) {
            switch self {
            case .didChange: value.presentedItemDidChange()
            case .wasDeleted: value.accommodatePresentedItemDeletion { _ in }
            case .didMove(let url): value.presentedItemDidMove(to: url)
            case .subitemDidAppear(let url): value.presentedSubitemDidAppear(at: url)
            case .subitemDidChange(let url): value.presentedSubitemDidChange(at: url)
            case .subitemDidMove(let old, let new): value.presentedSubitem(at: old, didMoveTo: new)
            case .didGain(let version):
                guard let url = value.presentedItemURL,
                    let gained = NSFileVersion.version(itemAt: url, forPersistentIdentifier: NSString(string: version))
                else {
                    return
                }
                value.presentedItemDidGain(gained)
            case .didResolve(let version):
                guard let url = value.presentedItemURL else { return }
                value.presentedItemDidResolveConflict(NSFileVersion(gone: version, wasConflict: true, of: url))
            case .didLose(let version):
                guard let url = value.presentedItemURL else { return }
                value.presentedItemDidLose(NSFileVersion(gone: version, wasConflict: false, of: url))
            case .subitemDidLose(let url, let version):
                value.presentedSubitem(at: url, didLose: NSFileVersion(gone: version, wasConflict: false, of: url))
            case .didChangeAttributes(let keys):
                let observed = keys.intersection(value.observedPresentedItemUbiquityAttributes)
                if !observed.isEmpty { value.presentedItemDidChangeUbiquityAttributes(observed) }
            case .subitemDidGain(let url, let version):
                guard
                    let gained = NSFileVersion.version(itemAt: url, forPersistentIdentifier: NSString(string: version))
                else { return }
                value.presentedSubitem(at: url, didGain: gained)
            case .subitemDidResolve(let url, let version):
                value.presentedSubitem(at: url, didResolve: NSFileVersion(gone: version, wasConflict: true, of: url))
            case .subitemWasDeleted(let url): value.accommodatePresentedSubitemDeletion(at: url) { _ in }
            }
        }
    }
}
