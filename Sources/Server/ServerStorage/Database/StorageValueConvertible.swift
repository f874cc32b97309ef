/// A type that can be an argument of a statement.
protocol StorageValueConvertible {
    static var storageType: StorageType { get }
    var storageValue: StorageValue { get }
}
