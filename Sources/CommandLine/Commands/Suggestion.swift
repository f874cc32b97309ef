/// Returns the likely intended word of `words` for `typed`; nil if none is similar.
package func suggestion(for typed: String, among words: [String]) -> String? {
    if let meant = synonyms[typed.lowercased()], words.contains(meant) { return meant }
    let nearest = words.map { (word: $0, distance: editDistance(typed.lowercased(), $0)) }
        .min { ($0.distance, $0.word) < ($1.distance, $1.word) }
    guard let nearest, nearest.distance <= max(1, nearest.word.count / 3) else { return nil }
    return nearest.word
}

/// Command names from similar programs.
private let synonyms = [
    "umount": "unmount", "eject": "unmount", "stop": "unmount", "start": "mount", "list": "find", "ls": "find",
    "search": "find", "upload": "sync", "push": "sync", "pull": "download", "share": "publish", "link": "publish",
    "free": "evict", "undelete": "restore", "trash": "deleted", "purge": "deleted", "history": "versions",
    "signin": "login", "signout": "logout",
]

/// The number of letters to insert, delete, replace or swap with their neighbour (optimal string alignment distance).
private func editDistance(_ left: String, _ right: String) -> Int {
    let a = Array(left)
    let b = Array(right)
    var rows = [Array(0...b.count)]
    for i in 1...max(1, a.count) where i <= a.count {
        var row = [i]
        for j in 1...max(1, b.count) where j <= b.count {
            let change = rows[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
            var best = min(change, rows[i - 1][j] + 1, row[j - 1] + 1)
            if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { best = min(best, rows[i - 2][j - 2] + 1) }
            row.append(best)
        }
        rows.append(row)
    }
    return rows[a.count][b.count]
}
