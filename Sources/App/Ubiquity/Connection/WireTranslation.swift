import Coordination
import DaemonProtocol
import Foundation

/// Between the words of the library and those of the control socket.
extension WantedAccess {
    init(_ mode: Access.Mode, _ path: MountPath) {
        switch mode {
        case .reading(let options):
            let pairs: [(ReadingOptions, AccessOption)] = [
                (.withoutChanges, .withoutChanges),
                (.immediatelyAvailableMetadataOnly, .immediatelyAvailableMetadataOnly), (.forUploading, .forUploading),
            ]
            self.init(path: path, mode: .read, options: pairs.filter { options.contains($0.0) }.map(\.1))
        case .writing(let option): self.init(path: path, mode: .write, options: option.map { [AccessOption($0)] } ?? [])
        // The daemon's own; a library never asks for it.
        case .evicting: self.init(path: path, mode: .write)
        }
    }
}

extension AccessOption {
    fileprivate init(_ option: WritingOption) {
        self =
            switch option {
            case .deleting: .forDeleting
            case .moving: .forMoving
            case .merging: .forMerging
            case .replacing: .forReplacing
            case .contentIndependentMetadataOnly: .contentIndependentMetadataOnly
            }
    }
}

extension Enclosure {
    var claim: UInt64? {
        if case .claim(let id) = self { id.value } else { nil }
    }

    var presenter: UInt64? {
        if case .presenter(let id) = self { id.value } else { nil }
    }
}

extension CoordinationFailure {
    init(_ failure: DaemonFailure) {
        let code: Code =
            switch failure.code {
            case .cancelled: .cancelled
            case .deadlock: .deadlock
            case .notFound: .gone
            case .busy, .timedOut: .busy
            case .offline: .unavailable
            default: .failed
            }
        self.init(code, failure.description)
    }
}

extension PresenterAgent.Delivery {
    /// The presenter's number and what it is sent; nil for an event that is for none.
    static func from(_ event: DaemonEvent, root: String) -> (UInt64, PresenterAgent.Delivery)? {
        switch event {
        case .question(let question):
            let tasks = question.parts.compactMap { part in
                PresenterAgent.Task(part.callback, part.path.map { url($0, root) })
            }
            return (question.presenter, .question(question.question, tasks[...]))
        case .comeBack(let over): return (over.presenter, .comeBack(over.question))
        case .news(let news):
            if let attributes = news.attributes {
                return (news.presenter, .news(.didChangeAttributes(Set(attributes.map(\.key)))))
            }
            let notice = PresenterAgent.News(
                news.callback, news.path.map { url($0, root) }, from: news.from.map { url($0, root) },
                version: news.version)
            return notice.map { (news.presenter, .news($0)) }
        case .status, .found, .happened, .keyValues, .alive: return nil
        }
    }

    private static func url(_ path: MountPath, _ root: String) -> URL { URL(filePath: "\(root)/\(path)") }
}

extension PresenterAgent.Task {
    fileprivate init?(_ callback: PresenterCallback, _ url: URL?) {
        switch (callback, url) {
        case (.relinquishToReader, _): self = .relinquishToReader
        case (.relinquishToWriter, _): self = .relinquishToWriter
        case (.saveChanges, _): self = .saveChanges
        case (.accommodateDeletion, _): self = .accommodateDeletion
        case (.accommodateEviction, _): self = .accommodateEviction
        case (.accommodateSubitemDeletion, let url?): self = .accommodateSubitemDeletion(url)
        default: return nil
        }
    }
}

extension PresenterAgent.News {
    fileprivate init?(_ callback: PresenterCallback, _ url: URL?, from old: URL?, version: String?) {
        if let version {
            self.init(callback, url, version)
        } else {
            self.init(callback, url, from: old)
        }
    }

    private init?(_ callback: PresenterCallback, _ url: URL?, _ version: String) {
        switch (callback, url) {
        case (.didGainVersion, _): self = .didGain(version)
        case (.didResolveConflict, _): self = .didResolve(version)
        case (.didLoseVersion, _): self = .didLose(version)
        case (.subitemDidLoseVersion, let url?): self = .subitemDidLose(url, version)
        case (.subitemDidGainVersion, let url?): self = .subitemDidGain(url, version)
        case (.subitemDidResolveConflict, let url?): self = .subitemDidResolve(url, version)
        default: return nil
        }
    }

    private init?(_ callback: PresenterCallback, _ url: URL?, from old: URL?) {
        switch (callback, url, old) {
        case (.didChange, _, _): self = .didChange
        case (.accommodateDeletion, _, _): self = .wasDeleted
        case (.didMove, let url?, _): self = .didMove(url)
        case (.subitemDidAppear, let url?, _): self = .subitemDidAppear(url)
        case (.subitemDidChange, let url?, _): self = .subitemDidChange(url)
        case (.subitemDidMove, let url?, let old?): self = .subitemDidMove(old, url)
        case (.accommodateSubitemDeletion, let url?, _): self = .subitemWasDeleted(url)
        default: return nil
        }
    }
}
