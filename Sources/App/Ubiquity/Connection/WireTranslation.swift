import Coordination
import DaemonProtocol
import Foundation

/// Conversions between the library's types and the control socket's types.
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
        // Only the daemon itself evicts; the library never requests this mode.
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
    /// Returns the presenter's number and its delivery; nil for an event not meant for a presenter.
    static func from(_ event: DaemonEvent, root: String) -> (UInt64, PresenterAgent.Delivery)? {
        switch event {
        case .question(let question):
            let tasks = question.parts.map { PresenterCall($0.callback, $0.path.map { url($0, root) }) }
            return (question.presenter, .question(question.question, tasks.filter(\.isComplete)[...]))
        case .reacquire(let over): return (over.presenter, .reacquire(over.question))
        case .event(let event):
            let call = PresenterCall(
                event.callback, event.path.map { url($0, root) }, from: event.from.map { url($0, root) },
                version: event.version, attributes: event.attributes.map { Set($0.map(\.key)) })
            return call.isComplete ? (event.presenter, .notification(call)) : nil
        case .status, .found, .happened, .keyValues, .alive: return nil
        }
    }

    private static func url(_ path: MountPath, _ root: String) -> URL { URL(filePath: "\(root)/\(path)") }
}
