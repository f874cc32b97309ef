package import Basics
package import CloudModel
package import ContainerLog

/// A superseded content of a file.
package struct FormerVersion: Sendable {
    package let version: VersionID
    package let size: UInt64
    package let modified: Timestamp
    package let authorName: String

    package init(version: VersionID, size: UInt64, modified: Timestamp, authorName: String) {
        self.version = version
        self.size = size
        self.modified = modified
        self.authorName = authorName
    }
}

extension PageFrame {
    /// The page of a file or symlink, with its versions and the actions on it. `item` has the first of its `conflictCount` conflict
    /// versions.
    package func filePage(
        _ container: ContainerName, path: [CloudItem], item: CloudItem, conflictCount: Int, former: [FormerVersion]
    ) -> HTML {
        page(
            Shown.text(item.name),
            """
            \(trail(container, path))
            \(facts(item))
            \(actions(item, container))
            \(item.conflicts.isEmpty ? HTML.empty : conflict(item, conflictCount, container))
            \(former.isEmpty ? HTML.empty : history(item, former, container))
            \(item.body.content?.reference == nil ? HTML.empty : publishing(item, container))
            """, tab: .containers)
    }

    private func facts(_ item: CloudItem) -> HTML {
        var rows: [HTML] = []
        switch item.body {
        case .folder: break
        case .symlink(let target):
            let text = Shown.visible(String(decoding: target, as: UTF8.self))
            rows.append("<dt>Points to</dt><dd><bdi>\(text)</bdi></dd>")
        case .file(let content): rows.append("<dt>Size</dt><dd>\(Shown.size(content.size))</dd>")
        }
        rows.append("<dt>Changed</dt><dd>\(Shown.time(item.attributes.modified)) \(Shown.zone)</dd>")
        if !item.authorName.isEmpty { rows.append("<dt>By</dt><dd>\(Shown.visible(item.authorName))</dd>") }
        rows.append("<dt>Version</dt><dd>\(item.version.description)</dd>")
        return "<dl class=\"facts card\">\(rows)</dl>"
    }

    private func actions(_ item: CloudItem, _ container: ContainerName) -> HTML {
        let download: HTML
        switch item.body.content {
        case .stored?:
            download = "<a class=\"button primary\" href=\"\(contentURL(item, item.version, container))\">Download</a>"
        case .announced?:
            download =
                "<span class=\"mark\">Its bytes are still being uploaded by \(Shown.visible(item.authorName)).</span>"
        case nil: download = ""
        }
        return """
            <p class="row">\(download) <a class="button grave" href="\(itemURL(item, container))/delete">Delete</a></p>
            """
    }

    private func contentURL(_ item: CloudItem, _ version: VersionID, _ container: ContainerName) -> String {
        "\(itemURL(item, container))/content/\(version)"
    }

    private func conflict(_ item: CloudItem, _ count: Int, _ container: ContainerName) -> HTML {
        let current = side(
            item, item.version, item.body.content?.size ?? 0, item.attributes.modified, item.authorName, container,
            keep: "current", label: "current")
        let others = item.conflicts.map {
            side(
                item, $0.version, $0.content.size, $0.modified, $0.authorName, container,
                keep: $0.version.description, label: "")
        }
        return """
            <section class="card conflict" aria-labelledby="conflict">
            <h2 id="conflict">Changed on \(max(count, item.conflicts.count) + 1) devices at once</h2>
            <p>Choose which version to keep. The others are deleted on every device; or keep all, each as a document of its own.</p>
            \(count > item.conflicts.count ? "<p>These are the first \(item.conflicts.count + 1); the choice concerns only them, and then the next ones are shown.</p>" : HTML.empty)
            <form method="post" action="\(itemURL(item, container))/resolve">\(token)
            <input type="hidden" name="seen" value="\(Self.seen(item))">
            <table><thead><tr><th scope="col">By</th><th scope="col">Changed \(Shown.zone)</th><th scope="col" class="number">Size</th>\
            <th scope="col"><span class="hidden">What to do</span></th></tr></thead><tbody>\(current)\(others)</tbody></table>
            <p class="row"><button name="keep" value="both">Keep all</button></p>
            </form>
            </section>
            """
    }

    /// Encodes the versions on display for a choice, the current one first.
    package static func seen(_ item: CloudItem) -> String {
        ([item.version] + item.conflicts.map(\.version)).map(\.description).joined(separator: " ")
    }

    private func side(
        _ item: CloudItem, _ version: VersionID, _ size: UInt64, _ modified: Timestamp, _ author: String,
        _ container: ContainerName, keep: String, label: String
    ) -> HTML {
        """
        <tr><th scope="row">\(Shown.visible(author)) \(label.isEmpty ? HTML.empty : "<span class=\"mark\">\(label)</span>")</th>
        <td data-label="Changed">\(Shown.time(modified))</td><td data-label="Size" class="number">\(Shown.size(size))</td>
        <td class="row"><a class="button" href="\(contentURL(item, version, container))">Download</a> \
        <button name="keep" value="\(keep)">Keep this</button></td></tr>
        """
    }

    private func history(_ item: CloudItem, _ former: [FormerVersion], _ container: ContainerName) -> HTML {
        let rows = former.map { version -> HTML in
            """
            <tr><th scope="row">\(Shown.time(version.modified))</th><td data-label="By">\(Shown.visible(version.authorName))</td>
            <td data-label="Size" class="number">\(Shown.size(version.size))</td>
            <td class="row"><a class="button" href="\(contentURL(item, version.version, container))">Download</a> \
            \(restoration(item, version.version, container))</td></tr>
            """
        }
        return """
            <section aria-labelledby="history"><h2 id="history">Earlier versions</h2>
            <table><thead><tr><th scope="col">Changed \(Shown.zone)</th><th scope="col">By</th><th scope="col" class="number">Size</th>\
            <th scope="col"><span class="hidden">What to do</span></th></tr></thead><tbody>\(rows)</tbody></table></section>
            """
    }

    /// The button restoring an earlier version as the current one; none while the current one is still being uploaded,
    /// because it would be lost.
    private func restoration(_ item: CloudItem, _ version: VersionID, _ container: ContainerName) -> HTML {
        guard item.body.content?.reference != nil else { return .empty }
        return """
            <form method="post" action="\(itemURL(item, container))/versions/\(version.description)/restore">\(token)\
            <input type="hidden" name="seen" value="\(item.version.description)"><button>Restore</button></form>
            """
    }
}
