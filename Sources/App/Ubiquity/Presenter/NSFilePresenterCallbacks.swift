import CloudModel

/// A presenter's implemented methods, for ``NSFilePresenter/presentedItemCallbacks``.
public struct NSFilePresenterCallbacks: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    init(_ callback: PresenterCallback) { self.init(rawValue: 1 << UInt(callback.position)) }

    public static let all = NSFilePresenterCallbacks(PresenterCallback.allCases.map { Self($0) })
}
