/// The flags of `renameat2(2)` that are supported.
package enum RenameMode: Sendable {
    case replace
    case noReplace
    case exchange
}
