package import CloudModel
package import LocalMetadata

/// Adds up the state of a package: it is as far as the last of its files is, and has the first error of any.
package struct PackageState: Sendable {
    private var whole: DocumentState
    private var size = 0.0
    private var downloaded = 0.0
    private var uploaded = 0.0

    /// - Parameter folder: The state of the package's own folder.
    package init(_ folder: DocumentState) {
        whole = folder
        whole.size = 0
    }

    /// Adds what is inside the package: everything, in any order.
    package mutating func add(_ item: LocalItem, _ state: DocumentState) {
        if item.pendingSince != nil { whole.isUploaded = false }
        guard item.kind == .file, !item.isConflictSibling, !item.isExcluded else { return }
        for fact in DocumentFact.allCases { add(fact, of: state) }
        whole.size = whole.size.addingReportingOverflow(state.size).overflow ? .max : whole.size + state.size
        size += Double(state.size)
        downloaded += Double(state.size) * state.percentDownloaded
        uploaded += Double(state.size) * state.percentUploaded
    }

    /// A flag is set if it is for any file, unless the fact says otherwise.
    private mutating func add(_ fact: DocumentFact, of state: DocumentState) {
        switch (fact, fact.field) {
        case (.isUploaded, _): whole.isUploaded = whole.isUploaded && state.isUploaded
        // Those of the folder.
        case (.isExcludedFromSync, _), (.isSyncPaused, _): break
        case (_, .flag(let path)): whole[keyPath: path] = whole[keyPath: path] || state[keyPath: path]
        case (_, .downloading(let path)): whole[keyPath: path] = whole[keyPath: path].worse(state[keyPath: path])
        case (_, .error(let path)): whole[keyPath: path] = whole[keyPath: path] ?? state[keyPath: path]
        // Weighed by size, at the end.
        case (_, .percentage): break
        }
    }

    package var state: DocumentState {
        var state = whole
        state.percentDownloaded = size == 0 ? 100 : downloaded / size
        // What is left may be names alone: it is not uploaded before the log says so.
        state.percentUploaded = state.isUploaded ? 100 : size == 0 ? 0 : min(99, uploaded / size)
        return state
    }
}
