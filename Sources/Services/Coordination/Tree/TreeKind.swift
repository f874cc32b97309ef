package enum TreeKind: Sendable {
    case file, folder
    /// A folder that is one document.
    case package
}
