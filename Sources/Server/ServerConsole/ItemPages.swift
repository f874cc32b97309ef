import Basics
package import CloudModel
package import ContainerLog

/// The position of a page in a list.
package struct ListPage: Sendable {
    /// The most rows of a page.
    package static let size = 200

    /// From 0.
    package let number: Int
    /// The rows of the whole list.
    package let total: Int

    package init(_ number: Int, total: Int) {
        self.number = number
        self.total = total
    }

    /// How many rows precede the page of this number.
    package static func offset(of number: Int) -> Int { number * size }
}

/// The size of the documents below a folder.
package struct ShownFolderSize: Sendable {
    package let bytes: UInt64
    /// Whether all documents were counted; otherwise there are more bytes.
    package let isComplete: Bool

    package init(bytes: UInt64, isComplete: Bool) {
        self.bytes = bytes
        self.isComplete = isComplete
    }
}

extension PageFrame {
    func itemURL(_ item: CloudItem, _ container: ContainerName) -> String {
        item.id == .root ? url("c/\(container)") : url("c/\(container)/i/\(item.id)")
    }

    /// The page of a folder. `path` leads from the root to the folder itself, `sizes` has the sizes of the folders
    /// among the items, and `seen` is the log position of the list.
    package func folderPage(
        _ container: ContainerName, path: [CloudItem], items: [CloudItem], sizes: [ItemID: ShownFolderSize],
        page number: ListPage, seen: LogSequence
    ) -> HTML {
        let folder = path.last
        let isOwn = folder.map { !$0.id.isWellKnown } ?? false
        let title = folder.map { $0.id == .root ? container.text : Shown.text($0.name) } ?? container.text
        return page(
            title,
            """
            \(trail(container, path))
            \(folder?.id == .root ? containerTabs(container, current: "") : HTML.empty)
            \(items.isEmpty ? "<p class=\"empty\">This folder is empty.</p>" : choosing(items, sizes, container, seen))
            \(pages(number))
            \(isOwn ? folder.map { "<p class=\"row\"><a class=\"button grave\" href=\"\(itemURL($0, container))/delete\">Delete this folder</a></p>" } : nil)
            """, tab: .containers)
    }

    /// An item's breadcrumbs; the last one is the page's heading.
    func trail(_ container: ContainerName, _ path: [CloudItem]) -> HTML {
        let steps = path.enumerated().map { index, item -> HTML in
            let name: HTML = item.id == .root ? "\(container.text)" : Shown.name(item.name)
            if index == path.count - 1 { return "<li><h1>\(name)</h1></li>" }
            return "<li><a href=\"\(itemURL(item, container))\">\(name)</a></li>"
        }
        return "<nav class=\"trail\" aria-label=\"Path\"><ol>\(steps)</ol></nav>"
    }

    /// The list of a folder, with the form for the chosen items.
    private func choosing(
        _ items: [CloudItem], _ sizes: [ItemID: ShownFolderSize], _ container: ContainerName, _ seen: LogSequence
    ) -> HTML {
        let list = table(items, container, sizes: sizes, choice: "chosen")
        guard items.contains(where: { !$0.id.isWellKnown }) else { return list }
        return """
            <form id="chosen" method="post" action="\(url("c/\(container)/chosen/delete"))">\(token)\
            <input type="hidden" name="seen" value="\(seen.description)"></form>
            \(list)
            <p class="row"><button class="grave" form="chosen">Delete the chosen</button></p>
            """
    }

    /// - Parameter choice: The id of the form for the chosen items; nil without check boxes.
    private func table(
        _ items: [CloudItem], _ container: ContainerName, sizes: [ItemID: ShownFolderSize] = [:], choice: String? = nil
    ) -> HTML {
        let choose: HTML? = choice.map { _ in "<th scope=\"col\"><span class=\"hidden\">Choose</span></th>" }
        return """
            <table><thead><tr>\(choose)<th scope="col">Name</th><th scope="col" class="number">Size</th><th scope="col">Changed \(Shown.zone)</th>\
            <th scope="col">By</th></tr></thead>
            <tbody>\(items.map { row($0, sizes[$0.id], container, choice) })</tbody></table>
            """
    }

    private func row(
        _ item: CloudItem, _ size: ShownFolderSize?, _ container: ContainerName, _ choice: String?
    ) -> HTML {
        let isFolder = item.body.kind == .folder
        let bytes = item.body.content.map { Shown.size($0.size) } ?? size.map { Shown.size($0) }
        return """
            <tr>\(choice.map { choose(item, $0) })<th scope="row"><a id="n\(item.id.description)" href="\(itemURL(item, container))">\
            \(Shown.icon(item.body.kind)) \(Shown.name(item.name))</a>\(marks(item))</th>
            <td data-label="Size" class="number">\(bytes)</td>
            <td data-label="Changed">\(isFolder && item.attributes.modified == .zero ? HTML.empty : Shown.time(item.attributes.modified))</td>
            <td data-label="By">\(Shown.visible(item.authorName))</td></tr>
            """
    }

    /// The check box of an item; the container's own folders stay, so they have none.
    private func choose(_ item: CloudItem, _ form: String) -> HTML {
        guard !item.id.isWellKnown else { return "<td></td>" }
        let id = item.id.description
        return
            "<td><input type=\"checkbox\" form=\"\(form)\" name=\"item\" value=\"\(id)\" aria-labelledby=\"n\(id)\"></td>"
    }

    func marks(_ item: CloudItem) -> HTML {
        let conflict: HTML = item.conflicts.isEmpty ? "" : " <span class=\"mark warn\">conflict</span>"
        guard case .announced? = item.body.content else { return conflict }
        return "\(conflict) <span class=\"mark\">being uploaded</span>"
    }

    /// Links to the neighboring pages.
    func pages(_ page: ListPage) -> HTML {
        guard page.total > ListPage.size else { return .empty }
        let last = (page.total - 1) / ListPage.size
        let back: HTML = page.number > 0 ? "<a rel=\"prev\" href=\"?page=\(page.number - 1)\">Previous</a>" : ""
        let on: HTML = page.number < last ? "<a rel=\"next\" href=\"?page=\(page.number + 1)\">Next</a>" : ""
        return
            "<nav class=\"pages\" aria-label=\"Pages\">\(back) <span>Page \(page.number + 1) of \(last + 1)</span> \(on)</nav>"
    }

    package func conflictsPage(_ container: ContainerName, _ items: [CloudItem], page number: ListPage) -> HTML {
        let list: HTML =
            items.isEmpty
            ? "<p class=\"empty\">No document was changed on two devices at once.</p>" : table(items, container)
        return page(
            "Conflicts",
            """
            <nav class="trail" aria-label="Path"><ol><li><h1>\(container.text)</h1></li></ol></nav>
            \(containerTabs(container, current: "/conflicts"))
            \(list)
            \(pages(number))
            """, tab: .containers)
    }
}
