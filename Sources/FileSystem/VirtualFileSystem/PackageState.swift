package import CloudModel
package import LocalMetadata

extension MetadataTransaction {
    /// Returns a package's most recently changed file, by modification time; any other item itself.
    package func lastChanged(in item: LocalItem) throws -> LocalItem {
        guard item.isPackage else { return item }
        var newest: LocalItem?
        try local.forEach(below: item) { file in
            guard file.kind == .file, !file.isConflictSibling, !file.isExcluded else { return }
            if newest.map({ $0.attributes.modified < file.attributes.modified }) ?? true { newest = file }
        }
        return newest ?? item
    }
}

/// Accumulates a package's state: its progress is that of the file furthest behind, and its error the first of any
/// file.
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

    /// Adds an item inside the package. Every item has to be added, in any order.
    package mutating func add(_ item: LocalItem, _ state: DocumentState) {
        if item.pendingSince != nil { whole.isUploaded = false }
        guard item.kind == .file, !item.isConflictSibling, !item.isExcluded else { return }
        for fact in DocumentFact.allCases { add(fact, of: state) }
        whole.size = whole.size.addingReportingOverflow(state.size).overflow ? .max : whole.size + state.size
        size += Double(state.size)
        downloaded += Double(state.size) * state.percentDownloaded
        uploaded += Double(state.size) * state.percentUploaded
    }

    /// Combines one fact. A flag is set if it is set for any file, unless the fact specifies otherwise.
    private mutating func add(_ fact: DocumentFact, of state: DocumentState) {
        switch (fact, fact.field) {
        case (.isUploaded, _): whole.isUploaded = whole.isUploaded && state.isUploaded
        // The folder's own values count.
        case (.isExcludedFromSync, _), (.isSyncPaused, _): break
        case (_, .flag(let path)): whole[keyPath: path] = whole[keyPath: path] || state[keyPath: path]
        case (_, .downloading(let path)): whole[keyPath: path] = whole[keyPath: path].worse(state[keyPath: path])
        case (_, .error(let path)): whole[keyPath: path] = whole[keyPath: path] ?? state[keyPath: path]
        // Weighted by size, at the end.
        case (_, .percentage): break
        }
    }

    package var state: DocumentState {
        var state = whole
        state.percentDownloaded = size == 0 ? 100 : downloaded / size
        // The remaining changes may be names alone: the package is not uploaded before the log says so.
        state.percentUploaded = state.isUploaded ? 100 : size == 0 ? 0 : min(99, uploaded / size)
        return state
    }
}
