package import CloudModel

/// A container in a list.
package struct ContainerSummary: Sendable {
    package let name: ContainerName
    /// Nil while its log is being read.
    package let counts: Counts?
    /// Whether devices have read more of the log than it has.
    package let isSetBack: Bool

    package struct Counts: Sendable {
        package let files: Int
        package let bytes: UInt64
        package let conflicts: Int
        package init(files: Int, bytes: UInt64, conflicts: Int) {
            self.files = files
            self.bytes = bytes
            self.conflicts = conflicts
        }
    }

    package init(name: ContainerName, counts: Counts?, isSetBack: Bool = false) {
        self.name = name
        self.counts = counts
        self.isSetBack = isSetBack
    }
}

extension PageFrame {
    /// The page with all containers. `used` and `share` are in bytes; without a share only the disk limits the account.
    package func containersPage(
        _ containers: [ContainerSummary], page number: ListPage, used: UInt64, share: UInt64?
    ) -> HTML {
        page(
            "Containers",
            """
            <h1>Containers</h1>
            \(usage(used, share))
            \(containers.contains(where: \.isSetBack) ? setBackHint : .empty)
            \(containers.isEmpty ? "<p class=\"empty\">There are no containers yet. The first device that mounts this cloud creates one.</p>" : list(containers))
            \(pages(number))
            """, tab: .containers)
    }

    private var setBackHint: HTML {
        """
        <p class="notice" role="status">The server went back to an earlier state of the containers marked so: devices have read more of \
        them than it has, and wait. Ask the server's owner for the newer state; otherwise reset these devices under \
        <a href="\(url("devices"))">Devices</a>, which loses no document.</p>
        """
    }

    private func usage(_ used: UInt64, _ share: UInt64?) -> HTML {
        guard let share else { return "<p class=\"usage\">\(Shown.size(used)) used.</p>" }
        return """
            <p class="usage"><label>\(Shown.size(used)) of \(Shown.size(share)) used \
            <meter min="0" max="\(max(1, share))" high="\(share / 10 * 9)" value="\(min(used, share))"></meter></label></p>
            """
    }

    private func list(_ containers: [ContainerSummary]) -> HTML {
        let rows = containers.map { container -> HTML in
            let counts = container.counts
            return """
                <tr><th scope="row"><a href="\(url("c/\(container.name)"))">\(Shown.icon(.folder)) \(container.name.text)</a>\(container.isSetBack ? " <span class=\"mark\">went back</span>" : HTML.empty)</th>
                <td data-label="Files" class="number">\(counts.map { "\($0.files)" } ?? "…" as HTML)</td>
                <td data-label="Size" class="number">\(counts.map { Shown.size($0.bytes) } ?? "…")</td>
                <td data-label="Conflicts">\(counts.flatMap { $0.conflicts > 0 ? conflictMark(container.name, $0.conflicts) : nil })</td></tr>
                """
        }
        return """
            <table><thead><tr><th scope="col">Name</th><th scope="col" class="number">Files</th>\
            <th scope="col" class="number">Size</th><th scope="col">Conflicts</th></tr></thead>
            <tbody>\(rows)</tbody></table>
            """
    }

    private func conflictMark(_ name: ContainerName, _ count: Int) -> HTML {
        "<a class=\"mark warn\" href=\"\(url("c/\(name)/conflicts"))\">\(Shown.count(count, "conflict"))</a>"
    }

    /// The page shown while a log is too long to be read at once.
    package func readingPage(_ container: ContainerName, done: UInt64, of total: UInt64) -> HTML {
        page(
            container.text,
            """
            <section class="card narrow">
            <h1>\(container.text)</h1>
            <p><label>The log of this container is being read: \(done) of \(total) entries. \
            <progress max="\(max(1, total))" value="\(done)"></progress></label></p>
            <p><a href="">Reload</a></p>
            </section>
            """, tab: .containers)
    }

    /// The tabs of a container's pages.
    func containerTabs(_ container: ContainerName, current: String) -> HTML {
        let places = [
            ("", "Items"), ("/conflicts", "Conflicts"), ("/deleted", "Recently deleted"), ("/storage", "Storage"),
            ("/reset", "Reset"),
        ]
        let links = places.map { path, title -> HTML in
            let mark: HTML = path == current ? " aria-current=\"page\"" : ""
            return "<a href=\"\(url("c/\(container)\(path)"))\"\(mark)>\(title)</a>"
        }
        return "<nav class=\"tabs\" aria-label=\"Container\">\(links)</nav>"
    }
}
