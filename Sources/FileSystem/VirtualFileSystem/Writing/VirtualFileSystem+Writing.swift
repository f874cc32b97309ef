import Basics
import CloudModel
import Glibc
import LocalContent
import LocalMetadata

/// The time between opening the first writable handle and recording the result.
extension VirtualFileSystem {
    /// Marks the file as being written when the first writable handle is opened. The mark is durable before a byte of a
    /// clean file can change.
    func beginWriting(_ file: OpenFile, _ state: inout OpenFile.State) throws {
        guard let item = state.item else { throw Errno(EIO) }
        try checkChangeable(item)
        if withdrawClose(of: file, &state), state.session.resumes(at: time.now()) { return }
        try finishWriting(of: file.node, &state)
        guard state.session.writerOpens() else { return }
        do { try markAsWritten(file.node, state.item ?? item, &state) } catch {
            state.session.writerCloses()
            throw error
        }
    }

    private func markAsWritten(_ node: NodeID, _ item: LocalItem, _ state: inout OpenFile.State) throws {
        if state.download == nil {
            try LocalContent.setModified(item.attributes.modified, descriptor: state.descriptor)
            state.session.baseline = try BlobStatus(descriptor: state.descriptor)
        }
        guard !state.session.isUnlinked, !item.isWriting else { return }
        var wasClean = true
        let rest = time.now().adding(.seconds(2))
        // Those of an earlier opening, recorded by its close.
        if state.download == nil { try content.removeUnrecordedAttributes(descriptor: state.descriptor) }
        let isThere = try updateRow(of: node, &state) { row, _, _ in
            wasClean = !row.isEdited
            row.isWriting = true
            // An edit waiting for its upload is being overwritten: half of that should not be sent. The close decides
            // when it is sent.
            if row.isEdited, row.pendingSince != nil { row.pendingSince = rest }
        }
        if isThere, wasClean { try metadata.makeDurable() }
    }
}
