package import Basics
package import CloudModel
import ContainerLog

extension PageFrame {
    /// The form on a file's page that publishes the displayed version.
    func publishing(_ item: CloudItem, _ container: ContainerName) -> HTML {
        """
        <section aria-labelledby="publishing"><h2 id="publishing">Publish</h2>
        <p class="hint">Anyone with the link can download this version, until the link ends or is withdrawn under \
        <a href="\(url("links"))">Links</a>. Later edits are not published.</p>
        <form class="card narrow" method="post" action="\(itemURL(item, container))/publish">\(token)
        <input type="hidden" name="seen" value="\(item.version.description)">
        <label for="days">The link ends after</label>
        <select id="days" name="days"><option value="1">a day</option><option value="7" selected>a week</option>\
        <option value="30">30 days</option><option value="365">a year</option></select>
        <label for="password">Password (optional)</label>
        <input id="password" name="password" type="password" maxlength="1024" autocomplete="new-password">
        <button>Create a link</button></form></section>
        """
    }

    /// The page with a new link's address, shown only once.
    ///
    /// - Parameters:
    ///   - path: From the server's first page.
    ///   - address: How browsers reach the server, such as `https://cloud.example.org`; nil if unknown.
    package func publishedPage(_ name: ItemName, path: String, address: String?, expires: Timestamp, hasPassword: Bool)
        -> HTML
    {
        page(
            "Published",
            """
            <section class="card narrow">
            <h1>\(Shown.name(name)) is published</h1>
            <p class="row"><a id="new-link" href="\(url("..\(path)"))">\((address ?? "") + path)</a> \
            \(address == nil ? HTML.empty : copyButton("new-link"))</p>
            <ul><li>This address is shown only now: copy it.</li>
            <li>The link ends on \(Shown.time(expires)) UTC.</li>
            \(hasPassword ? "<li>Opening it needs the password.</li>" : HTML.empty)</ul>
            <p><a class="button" href="\(url("links"))">All links</a></p>
            </section>
            """, tab: .links, isLive: false, script: CopyScript.name)
    }

    package func linksPage(_ links: [LinkRecord], page number: ListPage) -> HTML {
        let list: HTML =
            links.isEmpty
            ? "<p class=\"empty\">Nothing is published. To publish a document, open it here under Containers, or run on a device: <code>ubiquity publish PATH --expires 7d</code></p>"
            : """
            <table><thead><tr><th scope="col">Document</th><th scope="col" class="number">Size</th><th scope="col">Published \(Shown.zone)</th>\
            <th scope="col">Until \(Shown.zone)</th><th scope="col"><span class="hidden">What to do</span></th></tr></thead>
            <tbody>\(links.map(row))</tbody></table>
            """
        return page(
            "Links",
            """
            <h1>Published links</h1>
            \(list)
            \(pages(number))
            """, tab: .links)
    }

    private func row(_ link: LinkRecord) -> HTML {
        """
        <tr><th scope="row">\(Shown.icon(.file)) \(Shown.name(link.name)) \
        \(link.hasPassword ? "<span class=\"mark\">password</span>" : HTML.empty)</th>
        <td data-label="Size" class="number">\(Shown.size(link.size))</td>
        <td data-label="Published">\(Shown.time(link.created))</td><td data-label="Until">\(Shown.time(link.expires))</td>
        <td class="row">\(button("Withdraw", to: "links/\(link.id)/withdraw", isGrave: true))</td></tr>
        """
    }
}

/// The pages of a published link that does not lead directly to the document. Independent of the console.
package enum LinkPages {
    package static let absent = plain(
        "Nothing is published here", "<p>The address is wrong, or the link has expired or was withdrawn.</p>")

    package static let busy = plain("Too many attempts", "<p>Wait a minute and try again.</p>")

    package static func password(isWrong: Bool) -> HTML {
        plain(
            "A password is needed",
            """
            \(isWrong ? "<p class=\"problem\" role=\"alert\">That is not the password.</p>" : HTML.empty)
            <form method="post"><label for="password">Password</label>
            <input id="password" name="password" type="password" required autofocus autocomplete="current-password">
            <button class="primary">Open</button></form>
            """)
    }

    /// How a page shows a document besides offering it for download.
    package enum Preview: Sendable {
        case image, audio, video, text
    }

    /// The page of a published document.
    ///
    /// - Parameter content: The address of its bytes.
    package static func document(_ name: ItemName, size: UInt64, content: String, preview: Preview?) -> HTML {
        let title = Shown.text(name)
        let shown: HTML? = preview.map { preview in
            switch preview {
            case .image: "<p><img class=\"preview\" src=\"\(content)\" alt=\"\(title)\"></p>"
            case .audio: "<p><audio class=\"preview\" controls preload=\"metadata\" src=\"\(content)\"></audio></p>"
            case .video: "<p><video class=\"preview\" controls preload=\"metadata\" src=\"\(content)\"></video></p>"
            case .text: "<iframe class=\"preview text\" sandbox title=\"\(title)\" src=\"\(content)\"></iframe>"
            }
        }
        return plain(
            title,
            """
            <p>\(Shown.size(size))</p>
            <p><a class="button primary" href="\(content)" download>Download</a></p>
            \(shown)
            """, isWide: preview != nil)
    }

    private static func plain(_ title: String, _ content: HTML, isWide: Bool = false) -> HTML {
        """
        <!doctype html>
        <html lang="en"><head><meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="robots" content="noindex"><title>\(title)</title><link rel="stylesheet" href="style.css"></head>
        <body><main><section class="card\(isWide ? "" : " narrow")"><h1>\(title)</h1>
        \(content)</section></main></body></html>

        """
    }
}
