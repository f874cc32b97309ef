import Basics
package import CloudModel
package import ContainerLog

/// The space that a container uses, by document. Everything else is one sum, because it is the business of the container's program.
package struct StorageUse: Sendable {
    package let documents: [(item: CloudItem, size: UInt64)]
    package let documentCount: Int
    package let documentBytes: UInt64
    /// The bytes of all contents of the container.
    package let bytes: UInt64
    /// The bytes on the server's disk: the stored chunks, and the log.
    package let chunkBytes: UInt64
    package let logBytes: UInt64

    package init(
        documents: [(item: CloudItem, size: UInt64)], documentCount: Int, documentBytes: UInt64, bytes: UInt64,
        chunkBytes: UInt64, logBytes: UInt64
    ) {
        self.documents = documents
        self.documentCount = documentCount
        self.documentBytes = documentBytes
        self.bytes = bytes
        self.chunkBytes = chunkBytes
        self.logBytes = logBytes
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
            <dl class="facts card"><dt>Contents</dt><dd>\(Shown.size(use.bytes))</dd>
            <dt>On the server's disk</dt><dd>\(Shown.size(use.chunkBytes)) in chunks, \(Shown.size(use.logBytes)) of log</dd></dl>
            <p class="hint">Chunks are compressed and kept once however often they occur, and those of earlier versions are kept too; \
            so the two sums differ.</p>
            <table><thead><tr><th scope="col">Document</th><th scope="col" class="number">Size</th></tr></thead>
            <tbody>\(use.documents.map { row($0.item, $0.size, container) })\(more)\
            \(total("Everything else in this container", use.bytes - min(use.documentBytes, use.bytes)))</tbody></table>
            """, tab: .containers)
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
