import Basics
package import CloudModel
package import ContainerLog

/// A container's space, by document. Everything else is a single sum, because it is the business of the container's
/// program.
package struct StorageUse: Sendable {
    package let documents: [(item: CloudItem, size: UInt64)]
    package let documentCount: Int
    package let documentBytes: UInt64
    /// The bytes of all contents of the container.
    package let bytes: UInt64
    /// The container's part of the account's quota.
    package let report: CloudUseReport

    package init(
        documents: [(item: CloudItem, size: UInt64)], documentCount: Int, documentBytes: UInt64, bytes: UInt64,
        report: CloudUseReport
    ) {
        self.documents = documents
        self.documentCount = documentCount
        self.documentBytes = documentBytes
        self.bytes = bytes
        self.report = report
    }
}

extension PageFrame {
    package func storagePage(_ container: ContainerName, _ use: StorageUse) -> HTML {
        let hidden = use.documentCount - use.documents.count
        let shown = use.documents.reduce(UInt64(0)) { $0.saturatingSum($1.size) }
        let more =
            hidden > 0
            ? total("\(Shown.count(hidden, "smaller document"))", use.documentBytes - min(shown, use.documentBytes))
            : nil
        return page(
            "Storage",
            """
            <nav class="trail" aria-label="Path"><ol><li><h1>\(container.text)</h1></li></ol></nav>
            \(containerTabs(container, current: "/storage"))
            \(quotaTable(use.report))
            <h2>Documents</h2>
            <p class="hint">As large as they are on a device: \(Shown.size(use.bytes)). The server compresses their chunks, and keeps each \
            once however often it occurs.</p>
            <table><caption class="hidden">Documents by size, the largest first</caption>
            <thead><tr><th scope="col">Document</th><th scope="col" class="number">Size</th></tr></thead>
            <tbody>\(use.documents.map { row($0.item, $0.size, container) })\(more)\
            \(total("Everything else in this container", use.bytes - min(use.documentBytes, use.bytes)))</tbody></table>
            """, tab: .containers)
    }

    /// All bytes counted against the quota, by use.
    private func quotaTable(_ report: CloudUseReport) -> HTML {
        let parts = report.parts
        let account = report.counted.map { counted -> HTML in
            let limit = report.quota.map { " of \(Shown.size($0))" } ?? ", without a limit"
            return "<p class=\"hint\">The whole account uses \(Shown.size(counted))\(limit).</p>"
        }
        return """
            <table><caption class="hidden">All bytes that count against the quota, by use</caption>
            <thead><tr><th scope="col">Counts against the quota</th><th scope="col" class="number">Size</th></tr></thead>
            <tbody>\(part("Documents", parts.documents, "of which several share \(Shown.size(parts.shared)), counted once"))\
            \(part("Earlier and conflicting versions", parts.versions, "each can be removed on its document’s page"))\
            \(part("Recently deleted", parts.deleted, "“Remove for good” frees it immediately"))\
            \(part("Links", parts.links, "what is published, as long as it is"))\
            \(part("Uploads that are not completed", parts.unnamed, "free within the hour unless they continue"))\
            \(part("Log", parts.log, "the history of all changes; it stays"))\
            \(total("Total", parts.total))</tbody></table>
            \(account)
            """
    }

    private func part(_ label: String, _ size: UInt64, _ hint: String) -> HTML {
        """
        <tr><th scope="row">\(label) <span class="hint">\(hint)</span></th>
        <td data-label="Size" class="number">\(Shown.size(size))</td></tr>
        """
    }

    private func row(_ item: CloudItem, _ size: UInt64, _ container: ContainerName) -> HTML {
        """
        <tr><th scope="row"><a href="\(itemURL(item, container))">\(Shown.icon(item.body.kind)) \(Shown.name(item.name))</a></th>
        <td data-label="Size" class="number">\(Shown.size(size))</td></tr>
        """
    }

    private func total(_ label: String, _ size: UInt64) -> HTML {
        "<tr class=\"total\"><th scope=\"row\">\(label)</th><td data-label=\"Size\" class=\"number\">\(Shown.size(size))</td></tr>"
    }
}
