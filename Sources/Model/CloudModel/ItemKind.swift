package enum ItemKind: UInt8, Sendable {
    case folder = 0
    case file = 1
    case symlink = 2
}
