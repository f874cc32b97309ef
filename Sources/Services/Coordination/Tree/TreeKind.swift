package enum TreeKind: Sendable {
    case file, folder
    /// A folder treated as a single document.
    case package
}
