package import Basics
import CloudModel

extension LocalItem {
    /// Whether another device has edited this content and not uploaded the bytes yet.
    ///
    /// The editing device stores the digest of the replaced content in ``ReservedAttribute/announcedEdit``, so it
    /// syncs. Newer content voids it.
    package var hasAnnouncedEdit: Bool {
        guard kind == .file, !isEdited, let digest = content?.digest else { return false }
        return attributes.extended[ReservedAttribute.announcedEdit] == digest.bytes
    }

    /// Withdraws the announcement of this device's edit, which no longer exists.
    package mutating func withdrawAnnouncedEdit(at now: Timestamp) {
        guard attributes.extended.removeValue(forKey: ReservedAttribute.announcedEdit) != nil else { return }
        pendingSince = pendingSince ?? now
    }
}
