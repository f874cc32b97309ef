/// An item's supported sync controls. Apple's name: `NSFileManagerSupportedSyncControls`.
public struct NSFileManagerSupportedSyncControls: OptionSet, Hashable, Sendable {
    public let rawValue: UInt
    public init(rawValue: UInt) { self.rawValue = rawValue }
    public static let pauseSync = NSFileManagerSupportedSyncControls(rawValue: 1 << 0)
    public static let failUploadOnConflict = NSFileManagerSupportedSyncControls(rawValue: 1 << 1)
}
