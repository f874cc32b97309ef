import Basics
import CloudModel
package import DaemonProtocol

extension StatusText {
    /// Returns a row per item, with a column for each of the three independent facts.
    ///
    /// - Parameter isForEyes: Whether control characters in paths are shown as `?`; output for a program has the exact
    ///   paths.
    package static func table(
        _ items: [(record: MountRecord, item: ItemStatus)], _ style: TextStyle, isForEyes: Bool = true
    ) -> [String] {
        var table = TextTable([
            ("LOCAL", .left), ("CLOUD", .left), ("CONFLICT", .left), ("PIN", .left), ("SIZE", .right), ("PATH", .left),
        ])
        for (record, item) in items {
            table.append([
                local(item, style), cloud(item, style), conflict(item, style), pin(item),
                TextTable.Cell(item.kind == .folder ? "-" : "\(ByteCount(item.size))"),
                TextTable.Cell(isForEyes ? record.display(item.path) : "\(record.mount)/\(item.path)"),
            ])
        }
        return table.lines(style) + items.compactMap { reason($0.record, $0.item) }
            + items.flatMap { errors($0.record, $0.item, style) }
            + packageTypes(items.map(\.item))
    }

    /// Returns a line for each container declaring package types, if the container or a package in it is shown.
    private static func packageTypes(_ items: [ItemStatus]) -> [String] {
        let declared = items.compactMap { item in item.packageTypes.map { (item.container, $0) } }
        return Dictionary(declared, uniquingKeysWith: { first, _ in first }).filter { !$0.value.isEmpty }
            .sorted { $0.key < $1.key }
            .map { printable("\($0.key) declares package types: \($0.value.joined(separator: ", "))") }
    }

    private static func local(_ item: ItemStatus, _ style: TextStyle) -> TextTable.Cell {
        if item.isDownloading { return TextTable.Cell("\(Int(clamping: item.percentDownloaded)) %", style.busy) }
        if item.downloadingError != nil { return TextTable.Cell("failed", style.bad) }
        if item.isDownloadRequested { return TextTable.Cell("waiting", style.busy) }
        switch item.downloading {
        case .current: return TextTable.Cell("current", style.good)
        case .downloaded: return TextTable.Cell("older", style.warning)
        case .notDownloaded: return TextTable.Cell("no", style.dim)
        }
    }

    private static func cloud(_ item: ItemStatus, _ style: TextStyle) -> TextTable.Cell {
        if item.isExcluded { return TextTable.Cell("excluded", style.dim) }
        if item.isUploading { return TextTable.Cell("\(Int(clamping: item.percentUploaded)) %", style.busy) }
        if item.uploadingError != nil { return TextTable.Cell("failed", style.bad) }
        // The pause of a folder is shown even if the folder itself is uploaded, since the items in it inherit it.
        if item.isPaused, !item.isUploaded || item.kind == .folder {
            return TextTable.Cell("paused", style.warning)
        }
        return item.isUploaded ? TextTable.Cell("uploaded", style.good) : TextTable.Cell("waiting", style.busy)
    }

    /// Returns the pattern keeping an item on this device, in the form of `git check-ignore -v`; nil without such a
    /// pattern.
    private static func reason(_ record: MountRecord, _ item: ItemStatus) -> String? {
        item.excludedBy.map { by in
            printable(
                "\(record.display(item.path)) is excluded by line \(by.line) of \(record.display(by.path)): \(by.pattern)"
            )
        }
    }

    private static func conflict(_ item: ItemStatus, _ style: TextStyle) -> TextTable.Cell {
        if item.hasUnresolvedConflicts { return TextTable.Cell("yes", style.warning) }
        return item.conflictOf == nil ? "-" : TextTable.Cell("sibling", style.warning)
    }

    private static func pin(_ item: ItemStatus) -> TextTable.Cell {
        item.pin == .inherited ? TextTable.Cell("(\(item.effectivePin.rawValue))") : TextTable.Cell(item.pin.rawValue)
    }

    private static func errors(_ record: MountRecord, _ item: ItemStatus, _ style: TextStyle) -> [String] {
        item.allFailures.map { style.bad(printable($0.located(in: record).description)) }
    }
}
