import DaemonProtocol
public import Foundation
import Synchronization

/// Keys of the notification that a store changed: why, and an array of the keys.
public let NSUbiquitousKeyValueStoreChangeReasonKey = "NSUbiquitousKeyValueStoreChangeReasonKey"
public let NSUbiquitousKeyValueStoreChangedKeysKey = "NSUbiquitousKeyValueStoreChangedKeysKey"

/// Another device, or another program here, wrote.
public let NSUbiquitousKeyValueStoreServerChange = 0
/// Values of the cloud came when this device first saw the store.
public let NSUbiquitousKeyValueStoreInitialSyncChange = 1
/// There was no room for these keys; what was written to them is gone. The keys that had room are kept.
public let NSUbiquitousKeyValueStoreQuotaViolationChange = 2
/// The cloud or the account is another one now.
public let NSUbiquitousKeyValueStoreAccountChange = 3

/// Small settings that every device of the account has: at most 1,024 keys of 64 bytes, a mebibyte in all. Of one key the last write counts.
///
/// Apple's name: `NSUbiquitousKeyValueStore`. A value is in memory when it was set, on the disk moments later or when ``synchronize()`` has
/// returned, and on other devices when the cloud can be reached. Without a daemon it is kept in a file until there is one, and what the store
/// held before is read from another. Numbers and truth values are returned as `NSNumber`. Notifications are posted on a queue of the store's
/// own; observe with a queue to get them elsewhere.
// What changes is behind the engine's Mutex.
open class NSUbiquitousKeyValueStore: NSObject, @unchecked Sendable {
    /// The program's own: of the container with the name of its bundle, or of `CloudDocs`, which all programs without one share.
    public static let `default` = NSUbiquitousKeyValueStore(
        containerIdentifier: Bundle.main.bundleIdentifier ?? "CloudDocs")

    /// Posted with the store as its object. Not posted for what the program writes itself.
    public static let didChangeExternallyNotification = Notification.Name(
        "NSUbiquitousKeyValueStoreDidChangeExternallyNotification")

    private let engine: KeyValueEngine

    /// The store of a container, as `com.example.notes`. Not of Apple's.
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

    /// 0 for what is no number.
    open func longLong(forKey key: String) -> Int64 {
        switch engine.value(key) {
        case .integer(let number): number
        case .real(let number): Int64(exactly: number.rounded(.towardZero)) ?? 0
        case .flag(let flag): flag ? 1 : 0
        default: 0
        }
    }

    /// 0 for what is no number.
    open func double(forKey key: String) -> Double {
        switch engine.value(key) {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .flag(let flag): flag ? 1 : 0
        default: 0
        }
    }

    /// False for what is neither a truth value nor a number.
    open func bool(forKey key: String) -> Bool { double(forKey: key) != 0 }

    /// All keys with their values.
    open var dictionaryRepresentation: [String: Any] { engine.values.mapValues(\.foundation) }

    // MARK: Writing

    /// Writes a property list; nil removes the key. What is none, or too large, is not written: a quota violation is posted.
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

    /// Brings what was written to the disk, and what others wrote to the program. It does not wait for the network.
    /// False where neither the daemon nor the disk takes it.
    @discardableResult
    open func synchronize() -> Bool { engine.synchronize() }
}
