/// The storage of an item directly in a container, with all its contents.
package struct AreaStorage: Sendable {
    package let node: NodeID
    package let files: UInt64
    /// Bytes whole on this device.
    package let localBytes: UInt64
    /// Bytes of current contents in the cloud, without versions.
    package let cloudBytes: UInt64
    /// Bytes of versions in conflict.
    package let conflictBytes: UInt64
}

extension AreaStorage: ColumnDecodable {
    init(columns: Columns) {
        node = NodeID(columns.unsigned(0))
        files = columns.unsigned(1)
        localBytes = columns.unsigned(2)
        cloudBytes = columns.unsigned(3)
        conflictBytes = columns.unsigned(4)
    }
}
