import DaemonProtocol
public import Foundation
import Synchronization

/// Keys in the `userInfo` of the change notification: the reason, and an array of the changed keys.
public let NSUbiquitousKeyValueStoreChangeReasonKey = "NSUbiquitousKeyValueStoreChangeReasonKey"
public let NSUbiquitousKeyValueStoreChangedKeysKey = "NSUbiquitousKeyValueStoreChangedKeysKey"

/// Another device, or another program on this device, wrote to the store.
public let NSUbiquitousKeyValueStoreServerChange = 0
/// The cloud's values arrived when this device first saw the store.
public let NSUbiquitousKeyValueStoreInitialSyncChange = 1
/// The store had no space for these keys, and the values written to them are discarded. Other keys keep theirs.
public let NSUbiquitousKeyValueStoreQuotaViolationChange = 2
/// The cloud or the account has changed.
public let NSUbiquitousKeyValueStoreAccountChange = 3

/// A store of small settings shared by every device of the account: at most 1,024 keys of 64 bytes, and one mebibyte in
/// total. The last write of a key wins.
///
/// Apple's name: `NSUbiquitousKeyValueStore`. A value is in memory as soon as it is set, durable moments later or when
/// ``synchronize()`` has returned, and on other devices when the cloud can be reached. Without a daemon, new values are
/// kept in a file until a daemon runs, and earlier values are read from another file. Numbers and Boolean values are
/// returned as `NSNumber`. Notifications are posted on a queue of the store; pass a queue to the observer to receive
/// them elsewhere.
// Mutable state is behind the engine's Mutex.
open class NSUbiquitousKeyValueStore: NSObject, @unchecked Sendable {
    /// The program's own store, in the container named after its bundle, or in `CloudDocs`, shared by all programs
    /// without a bundle.
    public static let `default` = NSUbiquitousKeyValueStore(
        containerIdentifier: Bundle.main.bundleIdentifier ?? "CloudDocs")

    /// Posted with the store as its object when the store changes. Not posted for the program's own writes.
    public static let didChangeExternallyNotification = Notification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification")

    private let engine: KeyValueEngine

    /// Creates the store of a container such as `com.example.notes`. Not part of Apple's API.
    public init(containerIdentifier: String) {
        engine = KeyValueEngine(containerIdentifier)
        super.init()
        engine.onChange { [weak self] reason, keys in
            guard let self else { return }
            NotificationCenter.default.post(
                name: Self.didChangeExternallyNotification, object: self,
                userInfo: [
                    NSUbiquitousKeyValueStoreChangeReasonKey: reason, NSUbiquitousKeyValueStoreChangedKeysKey: keys,
                ])
        }
    }

    // MARK: Reading

    open func object(forKey key: String) -> Any? { engine.value(key).map(\.foundation) }

    open func string(forKey key: String) -> String? {
        if case .text(let text) = engine.value(key) { text } else { nil }
    }

    open func array(forKey key: String) -> [Any]? { object(forKey: key) as? [Any] }

    open func dictionary(forKey key: String) -> [String: Any]? { object(forKey: key) as? [String: Any] }

    open func data(forKey key: String) -> Data? {
        if case .data(let bytes) = engine.value(key) { Data(bytes) } else { nil }
    }

    /// Returns 0 for a non-numeric value.
    open func longLong(forKey key: String) -> Int64 {
        switch engine.value(key) {
        case .integer(let number): number
        case .real(let number): Int64(exactly: number.rounded(.towardZero)) ?? 0
        case .flag(let flag): flag ? 1 : 0
        default: 0
        }
    }

    /// Returns 0 for a non-numeric value.
    open func double(forKey key: String) -> Double {
        switch engine.value(key) {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .flag(let flag): flag ? 1 : 0
        default: 0
        }
    }

    /// Returns false for a value that is neither a Boolean nor a number.
    open func bool(forKey key: String) -> Bool { double(forKey: key) != 0 }

    /// All keys with their values.
    open var dictionaryRepresentation: [String: Any] { engine.values.mapValues(\.foundation) }

    // MARK: Writing

    /// Writes a property list; nil removes the key. A value that is not a property list, or too large, is not written,
    /// and a quota violation is posted.
    open func set(_ anObject: Any?, forKey aKey: String) {
        guard let anObject else { return removeObject(forKey: aKey) }
        guard let value = PropertyValue(foundation: anObject) else { return engine.refuse(aKey) }
        engine.set(value, aKey)
    }

    open func set(_ aString: String?, forKey aKey: String) { engine.set(aString.map { .text($0) }, aKey) }
    open func set(_ aData: Data?, forKey aKey: String) { engine.set(aData.map { .data(Array($0)) }, aKey) }
    open func set(_ anArray: [Any]?, forKey aKey: String) { set(anArray as Any?, forKey: aKey) }
    open func set(_ aDictionary: [String: Any]?, forKey aKey: String) { set(aDictionary as Any?, forKey: aKey) }
    open func set(_ value: Int64, forKey aKey: String) { engine.set(.integer(value), aKey) }
    open func set(_ value: Double, forKey aKey: String) { engine.set(.real(value), aKey) }
    open func set(_ value: Bool, forKey aKey: String) { engine.set(.flag(value), aKey) }

    open func removeObject(forKey aKey: String) { engine.set(nil, aKey) }

    /// Makes the program's writes durable, and reads external changes. Does not wait for the network.
    ///
    /// - Returns: False if neither the daemon nor the disk accepts the writes.
    @discardableResult
    open func synchronize() -> Bool { engine.synchronize() }
}
