import CloudModel
import Testing

@Suite("The one state that a file manager shows")
struct DocumentEmblemTests {
    private func emblem(
        _ state: DocumentState, isFolder: Bool = false, isConflictVersion: Bool = false, isPinned: Bool = false
    ) -> DocumentEmblem {
        DocumentEmblem(state, isFolder: isFolder, isConflictVersion: isConflictVersion, isPinned: isPinned)
    }

    @Test("a document that is settled is here, kept or in the cloud, and a folder is a folder")
    func settled() {
        let here = DocumentState(isUploaded: true)
        #expect(emblem(here) == .here)
        #expect(emblem(here, isPinned: true) == .pinned)
        #expect(emblem(here, isFolder: true) == .folder)
        #expect(emblem(here, isFolder: true, isPinned: true) == .pinned)
        #expect(emblem(DocumentState(downloading: .notDownloaded, isUploaded: true)) == .cloud)
        // An older version is local.
        #expect(emblem(DocumentState(downloading: .downloaded, isUploaded: true)) == .cloud)
    }

    @Test("a download that was requested is shown as under way, and a pin alone does not make a document present")
    func requested() {
        var state = DocumentState(downloading: .notDownloaded, isUploaded: true)
        #expect(emblem(state, isPinned: true) == .cloud)
        state.isDownloadRequested = true
        #expect(emblem(state, isPinned: true) == .downloading)
        state.downloading = .current
        #expect(emblem(state) == .here)
    }

    @Test("a change that is not sent waits, or is paused if its user paused it")
    func waiting() {
        var state = DocumentState(isUploaded: false)
        #expect(emblem(state) == .waiting)
        #expect(emblem(state, isFolder: true) == .waiting)
        state.isUploading = true
        #expect(emblem(state) == .uploading)
        state.isUploading = false
        state.isPaused = true
        #expect(emblem(state) == .paused)
    }

    @Test("what needs a person comes before what is under way, for every combination of facts")
    func order() {
        let flags: [WritableKeyPath<DocumentState, Bool>] = [
            \.hasUnresolvedConflicts, \.isExcluded, \.isDownloading, \.isUploading, \.isDownloadRequested, \.isPaused,
            \.isUploaded,
        ]
        var seen: Set<DocumentEmblem> = []
        for bits in 0..<(1 << (flags.count + 5)) {
            func bit(_ index: Int) -> Bool { bits >> (flags.count + index) & 1 == 1 }
            for downloading in DocumentState.Downloading.allCases {
                var state = DocumentState(downloading: downloading, isUploaded: true)
                for (index, flag) in flags.enumerated() { state[keyPath: flag] = bits >> index & 1 == 1 }
                if bit(0) { state.downloadingError = "no network" }
                if bit(1) { state.uploadingError = "no room" }
                let emblem = emblem(state, isFolder: bit(2), isConflictVersion: bit(3), isPinned: bit(4))
                seen.insert(emblem)
                let isInConflict = state.hasUnresolvedConflicts || bit(3)
                #expect((emblem == .conflict) == isInConflict)
                #expect((emblem == .failed) == (!isInConflict && (bit(0) || bit(1))))
                if [.here, .pinned, .folder].contains(emblem) {
                    #expect(state.downloading == .current && state.isUploaded && !state.isPaused)
                }
                if emblem == .cloud { #expect(state.downloading != .current && !state.isDownloadRequested) }
            }
        }
        #expect(seen == Set(DocumentEmblem.allCases).subtracting([.unknown, .outside, .error]))
    }
}
