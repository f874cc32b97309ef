/// The supported flags of `renameat2(2)`.
package enum RenameMode: Sendable {
    case replace
    case noReplace
    case exchange
}
