package import Basics
package import CloudModel

/// A deleted item in a list.
package struct DeletedSummary: Sendable {
    package let id: ItemID
    package let kind: ItemKind
    /// The item's name with its former folders.
    package let path: [ItemName]
    package let size: UInt64?
    package let inside: Int
    package let deleted: Timestamp
    package let device: String

    package init(
        id: ItemID, kind: ItemKind, path: [ItemName], size: UInt64?, inside: Int, deleted: Timestamp, device: String
    ) {
        self.id = id
        self.kind = kind
        self.path = path
        self.size = size
        self.inside = inside
        self.deleted = deleted
        self.device = device
    }
}

extension PageFrame {
    /// The page with deleted items. `limit` is the most to list, `kept` how long deleted items stay.
    package func deletedPage(
        _ container: ContainerName, _ items: [DeletedSummary], limit: Int, kept: Retention
    ) -> HTML {
        page(
            "Recently deleted",
            """
            <nav class="trail" aria-label="Path"><ol><li><h1>\(container.text)</h1></li></ol></nav>
            \(containerTabs(container, current: "/deleted"))
            \(items.isEmpty ? "<p class=\"empty\">Nothing was deleted in the last \(kept.description).</p>" : table(items, container))
            \(items.isEmpty ? HTML.empty : emptying(container, kept))
            \(items.count < limit ? HTML.empty : "<p>These are the newest \(limit). On a device, “ubiquity deleted” lists all.</p>")
            """, tab: .containers)
    }

    private func emptying(_ container: ContainerName, _ kept: Retention) -> HTML {
        """
        <p class="hint">Deleted items count against the quota until they are removed for good, after \(kept.description) by themselves.</p>
        <p><a class="button" href="\(url("c/\(container)/deleted/purge"))">Remove all for good</a></p>
        """
    }

    private func table(_ items: [DeletedSummary], _ container: ContainerName) -> HTML {
        """
        <form id="chosen" method="post" action="\(url("c/\(container)/chosen/restore"))">\(token)</form>
        <table><thead><tr><th scope="col"><span class="hidden">Choose</span></th><th scope="col">Name</th><th scope="col" class="number">Size</th><th scope="col">Deleted \(Shown.zone)</th>\
        <th scope="col">By</th><th scope="col">Restore</th><th scope="col">Remove</th></tr></thead>
        <tbody>\(items.map { row($0, container) })</tbody></table>
        <p class="row"><button form="chosen">Restore the chosen</button> \
        <button class="grave" form="chosen" formaction="\(url("c/\(container)/chosen/purge"))">Remove the chosen for good</button></p>
        """
    }

    private func row(_ item: DeletedSummary, _ container: ContainerName) -> HTML {
        let path = item.path.map(Shown.text).joined(separator: "/")
        let inside: HTML =
            item.kind == .folder ? " <span class=\"mark\">\(Shown.count(item.inside, "item"))</span>" : ""
        return """
            <tr><td><input type="checkbox" form="chosen" name="item" value="\(item.id.description)" aria-label="Choose \(path)"></td>
            <th scope="row">\(Shown.icon(item.kind)) <bdi>\(path)</bdi>\(inside)</th>
            <td data-label="Size" class="number">\(item.size.map { Shown.size($0) })</td>
            <td data-label="Deleted">\(Shown.time(item.deleted))</td>
            <td data-label="By">\(Shown.visible(item.device))</td>
            <td data-label="Restore">\(button("Restore", to: "c/\(container)/i/\(item.id)/restore"))</td>
            <td data-label="Remove"><a href="\(url("c/\(container)/i/\(item.id)/purge"))">Remove for good</a></td></tr>
            """
    }
}
