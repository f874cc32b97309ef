/// The methods that a presenter has, for ``NSFilePresenter/presentedItemCallbacks``.
public struct NSFilePresenterCallbacks: OptionSet, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }

    public static let relinquishToReader = NSFilePresenterCallbacks(rawValue: 1 << 0)
    public static let relinquishToWriter = NSFilePresenterCallbacks(rawValue: 1 << 1)
    public static let saveChanges = NSFilePresenterCallbacks(rawValue: 1 << 2)
    public static let accommodateDeletion = NSFilePresenterCallbacks(rawValue: 1 << 3)
    public static let accommodateSubitemDeletion = NSFilePresenterCallbacks(rawValue: 1 << 4)
    public static let didMove = NSFilePresenterCallbacks(rawValue: 1 << 5)
    public static let didChange = NSFilePresenterCallbacks(rawValue: 1 << 6)
    public static let subitemDidAppear = NSFilePresenterCallbacks(rawValue: 1 << 7)
    public static let subitemDidMove = NSFilePresenterCallbacks(rawValue: 1 << 8)
    public static let subitemDidChange = NSFilePresenterCallbacks(rawValue: 1 << 9)

    public static let accommodateEviction = NSFilePresenterCallbacks(rawValue: 1 << 10)

    public static let didGainVersion = NSFilePresenterCallbacks(rawValue: 1 << 11)
    public static let didResolveConflict = NSFilePresenterCallbacks(rawValue: 1 << 12)
    public static let subitemDidGainVersion = NSFilePresenterCallbacks(rawValue: 1 << 13)
    public static let subitemDidResolveConflict = NSFilePresenterCallbacks(rawValue: 1 << 14)
    public static let didLoseVersion = NSFilePresenterCallbacks(rawValue: 1 << 15)
    public static let subitemDidLoseVersion = NSFilePresenterCallbacks(rawValue: 1 << 16)
    public static let didChangeUbiquityAttributes = NSFilePresenterCallbacks(rawValue: 1 << 17)

    public static let all = NSFilePresenterCallbacks(rawValue: 1 << 18 - 1)
}
