/// Queries run by the engine many times a second while programs work. Each must use its own index, whatever the tree
/// holds; a test checks SQLite's query plans.
enum QueueQueries {
    // Sums use `total()`: programs and other devices report sizes, and `sum()` fails from 2^63.

    /// Uses `+container` because for the bare column SQLite prefers the index by identity and reads every row of the container.
    private static func settled(_ condition: String) -> String {
        """
        SELECT \(LocalItem.selection) FROM local
        WHERE pendingSince IS NOT NULL AND (pendingSince, node) > (?, ?) AND pendingSince <= ? AND +container = ?
          AND isPaused = 0 AND \(condition)
        ORDER BY pendingSince, node LIMIT ?
        """
    }

    static let ready = settled("isEdited = 0")
    static let announceable = settled("isEdited = 1 AND size >= ?")
    static let uploadable = uploadable("")

    private static func uploadable(_ condition: String) -> String {
        """
        SELECT \(LocalItem.selection) FROM local
        WHERE pendingSince IS NOT NULL AND pendingSince <= ? AND isEdited = 1 AND isPaused = 0
          AND size BETWEEN ? AND ? \(condition)
        ORDER BY pendingSince, node LIMIT ?
        """
    }

    // While a folder is paused, the folders above each row are checked too.

    static let readyOutsidePauses = settled("isEdited = 0 AND NOT \(isPaused("local.parent"))")
    static let announceableOutsidePauses = settled("isEdited = 1 AND size >= ? AND NOT \(isPaused("local.parent"))")
    static let uploadableOutsidePauses = uploadable("AND NOT \(isPaused("local.parent"))")
    static let pausedFolders = "SELECT EXISTS (SELECT 1 FROM local WHERE isPaused = 1 AND kind = 0)"

    /// Returns SQL for whether a folder, or a folder above it, is paused. Damaged rows may form a cycle; no path has more folders.
    static func isPaused(_ folder: String) -> String {
        """
        EXISTS (
          WITH RECURSIVE up (parent, isPaused, depth) AS (
            SELECT above.parent, above.isPaused, 0 FROM local AS above WHERE above.node = \(folder)
            UNION ALL
            SELECT above.parent, above.isPaused, depth + 1 FROM up JOIN local AS above ON above.node = up.parent
            WHERE up.isPaused = 0 AND depth < 4096
          )
          SELECT 1 FROM up WHERE isPaused = 1
        )
        """
    }

    static let pending = """
        SELECT \(LocalItem.selection) FROM local
        WHERE pendingSince IS NOT NULL AND pendingSince <= ? ORDER BY pendingSince, node LIMIT ?
        """
    static let oldestPending = "SELECT min(pendingSince) FROM local WHERE pendingSince IS NOT NULL"
    static let nextPending = "SELECT min(pendingSince) FROM local WHERE pendingSince > ?"
    static let nextDeparture = "SELECT min(time) FROM departed WHERE isSent = 0 AND time > ?"
    static let pendingTotals = """
        SELECT count(*), CAST(total(CASE WHEN isEdited THEN size ELSE 0 END) AS INTEGER)
        FROM local WHERE pendingSince IS NOT NULL
        """
    static let wanted = """
        SELECT \(LocalItem.selection) FROM local
        WHERE wanted > 0 AND wanted > \(DownloadPriority.whenSpace) AND (digest IS NOT NULL OR presence = 2)
        ORDER BY wanted DESC, node LIMIT ?
        """
    static let wantedWhenSpace = """
        SELECT \(LocalItem.selection) FROM local
        WHERE wanted > 0 AND wanted <= \(DownloadPriority.whenSpace) AND size <= ?
          AND (digest IS NOT NULL OR presence = 2)
        ORDER BY wanted DESC, node LIMIT ?
        """
    static let edited = """
        SELECT \(LocalItem.selection) FROM local
        WHERE pendingSince IS NOT NULL AND (pendingSince, node) > (?, ?) AND isEdited = 1 AND isWriting = 0
        ORDER BY pendingSince, node LIMIT ?
        """
    static let writing = "SELECT \(LocalItem.selection) FROM local WHERE isWriting = 1"
    // Without a hint SQLite may prefer the order of the nodes, and read every row.
    static let ignoreFiles = """
        SELECT \(LocalItem.selection) FROM local INDEXED BY local_ignoreFile
        WHERE \(LocalTree.isIgnoreFile) ORDER BY node LIMIT ?
        """
    static let excludedByPattern = """
        SELECT \(LocalItem.selection) FROM local INDEXED BY local_excludedByPattern
        WHERE isExcluded = \(Exclusion.byPattern.rawValue) AND node > ? ORDER BY node LIMIT ?
        """
    /// Names are blobs, so this compares bytes.
    static let excludedBeginning = """
        SELECT length(name) FROM local INDEXED BY local_excludedByAttribute
        WHERE parent = ? AND isExcluded = \(Exclusion.byAttribute.rawValue) AND substr(?, 1, length(name)) = name
        """
    static let unsent = """
        SELECT \(LocalItem.selection) FROM local
        WHERE pendingSince IS NOT NULL AND (pendingSince, node) > (?, ?) AND isKnown = 0 AND isExcluded = 0
        ORDER BY pendingSince, node LIMIT ?
        """
    static let evictable = """
        SELECT \(LocalItem.selection) FROM local
        WHERE presence > 0 AND size > 0 AND isEdited = 0 AND isWriting = 0 AND digest IS NOT NULL
          AND pendingSince IS NULL AND isKnown = 1 AND isExcluded = 0 AND pin <> 3
        ORDER BY used LIMIT ? OFFSET ?
        """
    static let presentBytes = "SELECT CAST(total(size) AS INTEGER) FROM local WHERE presence > 0 AND size > 0"
    static let oldestDeparture = "SELECT min(time) FROM departed WHERE isSent = 0"
    static let newestPending = "SELECT max(pendingSince) FROM local WHERE pendingSince IS NOT NULL"
    static let newestDeparture = "SELECT max(time) FROM departed WHERE isSent = 0"
    static let oldestKeyValue = "SELECT min(noted) FROM keyValuePending WHERE isSent = 0"
    static let newestKeyValue = "SELECT max(noted) FROM keyValuePending WHERE isSent = 0"
    static let unsentDepartures = """
        SELECT container, item, parent, name, kind, time, isSent FROM departed
        WHERE isSent = 0 AND time <= ?1 AND +container = ?2 AND NOT \(isOfPausedSave) ORDER BY time LIMIT ?3
        """
    static let unsentDeparturesOutsidePauses = """
        SELECT container, item, parent, name, kind, time, isSent FROM departed
        WHERE isSent = 0 AND time <= ?1 AND +container = ?2 AND NOT \(isOfPausedSave)
          AND NOT \(isPaused("departed.parent"))
        ORDER BY time LIMIT ?3
        """
    /// Whether a paused document left its name just now: the file about to be saved there waits too.
    private static let isOfPausedSave = """
        EXISTS (
          SELECT 1 FROM vacated
          WHERE vacated.parent = departed.parent AND vacated.name = departed.name AND vacated.isPaused = 1
            AND vacated.time > ?1 - \(VacatedPlace.saveTime.components.seconds * 1_000_000_000)
        )
        """

    /// The queries with the indexes that they must use.
    static let all = [
        (readyOutsidePauses, "local_pending"), (announceableOutsidePauses, "local_pending"),
        (uploadableOutsidePauses, "local_pending"), (unsentDeparturesOutsidePauses, "departed_unsent"),
        (pausedFolders, "local_paused"),
        (ready, "local_pending"), (announceable, "local_pending"), (uploadable, "local_pending"),
        (pending, "local_pending"), (oldestPending, "COVERING INDEX local_pending"),
        (pendingTotals, "COVERING INDEX local_pending"), (wanted, "local_wanted"), (wantedWhenSpace, "local_wanted"),
        (writing, "local_writing"),
        (edited, "local_pending"), (unsent, "local_pending"), (ignoreFiles, "local_ignoreFile"),
        (excludedByPattern, "local_excludedByPattern"), (excludedBeginning, "local_excludedByAttribute"),
        (evictable, "local_present"), (presentBytes, "COVERING INDEX local_present"),
        (oldestDeparture, "departed_unsent"), (nextPending, "COVERING INDEX local_pending"),
        (nextDeparture, "departed_unsent"),
        (newestPending, "COVERING INDEX local_pending"), (newestDeparture, "departed_unsent"),
        (unsentDepartures, "departed_unsent"), (oldestKeyValue, "keyValuePending_unsent"),
        (newestKeyValue, "keyValuePending_unsent"),
    ]
}
