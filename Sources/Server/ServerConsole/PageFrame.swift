/// The frame around the pages of the console.
package struct PageFrame: Sendable {
    /// From the page to the console's first page: `./`, `../` and so on. All addresses are relative, so a proxy may put
    /// the server below any path.
    package let root: String
    /// The name of the signed-in account; nil on pages before the sign-in.
    package let account: String?
    /// Whether the account manages the others.
    package let isOwner: Bool
    /// The token sent back by every form, to prove the form's origin.
    package let formToken: String
    package let notice: Notice?

    package init(
        root: String, account: String?, isOwner: Bool = false, formToken: String, notice: Notice? = nil
    ) {
        self.root = root
        self.account = account
        self.isOwner = isOwner
        self.formToken = formToken
        self.notice = notice
    }

    /// Returns the root for a page at this path below `console/`.
    package static func root(ofPath rest: some StringProtocol) -> String {
        let depth = rest.utf8.count { $0 == UInt8(ascii: "/") }
        return depth == 0 ? "./" : String(repeating: "../", count: depth)
    }

    func url(_ path: String) -> String { root + path }

    /// The hidden field in every form.
    var token: HTML { "<input type=\"hidden\" name=\"token\" value=\"\(formToken)\">" }

    /// A button for a POST request.
    func button(_ label: String, to path: String, isGrave: Bool = false) -> HTML {
        """
        <form method="post" action="\(url(path))">\(token)\
        <button\(isGrave ? " class=\"grave\"" : HTML.empty)>\(label)</button></form>
        """
    }

    /// Returns a complete page.
    ///
    /// - Parameters:
    ///   - isLive: Whether the page is fetched again on changes; false for pages with a form or with content shown only
    ///     once.
    ///   - script: A script specific to this page.
    package func page(
        _ title: String, _ content: HTML, tab: Tab? = nil, isLive: Bool = true, script: String? = nil
    ) -> HTML {
        """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="referrer" content="no-referrer">
        <title>\(title) – Ubiquity</title>
        <link rel="stylesheet" href="\(url("style.css"))">
        \(account == nil || !isLive ? HTML.empty : "<script src=\"\(url("live.js"))\" data-events=\"\(url("events"))\" defer></script>")
        \(script.map { "<script src=\"\(url($0))\" defer></script>" as HTML })
        </head>
        <body>
        \(header(tab))
        <main id="main">
        \(notice.map { "<p class=\"notice\" role=\"status\">\($0.text)</p>" })
        \(content)
        </main>
        </body>
        </html>

        """
    }

    private func header(_ current: Tab?) -> HTML {
        guard let account else { return "<header><span class=\"brand\">Ubiquity</span></header>" }
        let tabs = Tab.allCases.filter { $0 != .accounts || isOwner }.map { tab -> HTML in
            let mark: HTML = tab == current ? " aria-current=\"page\"" : ""
            return "<a href=\"\(url(tab.path))\"\(mark)>\(tab.title)</a>"
        }
        return """
            <header>
            <a class="skip" href="#main">Skip to the content</a>
            <span class="brand">Ubiquity</span>
            <nav aria-label="Console">\(tabs)</nav>
            <form class="account" method="post" action="\(url("sign-out"))">\(token)<span>\(account)</span>\
            <button class="quiet">Sign out</button></form>
            </header>
            """
    }

    package enum Tab: CaseIterable, Sendable {
        case containers, transfers, devices, links, security, accounts

        var path: String {
            switch self {
            case .containers: ""
            case .transfers: "transfers"
            case .devices: "devices"
            case .links: "links"
            case .security: "security"
            case .accounts: "accounts"
            }
        }

        var title: String {
            switch self {
            case .containers: "Containers"
            case .transfers: "Transfers"
            case .devices: "Devices"
            case .links: "Links"
            case .security: "Security"
            case .accounts: "Accounts"
            }
        }
    }
}

/// The result of the last action, shown on the following page. The address contains one of these words, never a text.
package enum Notice: String, Sendable {
    case deleted, restored, resolved, revoked, signedOut, reset, withdrawn, resetAsked, factorOff, passkeyAdded,
        passkeyRemoved, purged, versionRestored, quotaSet, accountDisabled, accountEnabled

    var text: String {
        switch self {
        case .deleted: "Deleted. Every device follows as soon as it is online."
        case .purged: "Removed for good. Every device follows as soon as it is online."
        case .restored: "Restored. Every device follows as soon as it is online."
        case .versionRestored:
            "That version is current again, on every device. The one before is among the earlier versions."
        case .resolved: "The conflict is resolved, on every device."
        case .revoked: "The device's access has ended."
        case .signedOut: "The browser is signed out."
        case .reset: "The container is emptied. Every device follows as soon as it is online."
        case .withdrawn: "The link is withdrawn."
        case .factorOff: "The authenticator app is turned off."
        case .passkeyAdded: "The passkey is added."
        case .passkeyRemoved: "The passkey is removed."
        case .quotaSet: "The quota is set."
        case .accountDisabled: "The account is disabled."
        case .accountEnabled: "The account is enabled."
        case .resetAsked: "The device will reset itself when it is online."
        }
    }
}
