package import Basics

/// An account as an owner sees it.
package struct ShownAccount: Sendable {
    package let number: Int64
    package let name: String
    package let used: UInt64
    /// In bytes; nil: limited by the disk only.
    package let quota: UInt64?
    package let devices: Int
    /// Nil: never.
    package let seen: Timestamp?
    package let isOwner: Bool
    package let isDisabled: Bool

    package init(
        number: Int64, name: String, used: UInt64, quota: UInt64?, devices: Int, seen: Timestamp?, isOwner: Bool,
        isDisabled: Bool
    ) {
        self.number = number
        self.name = name
        self.used = used
        self.quota = quota
        self.devices = devices
        self.seen = seen
        self.isOwner = isOwner
        self.isDisabled = isDisabled
    }
}

/// The pages of owners.
extension PageFrame {
    package func accountsPage(_ accounts: [ShownAccount], page number: ListPage, asksFactor: Bool) -> HTML {
        page(
            "Accounts",
            """
            <h1>Accounts</h1>
            <table><thead><tr><th scope="col">Name</th><th scope="col" class="number">Used</th><th scope="col" class="number">Quota</th>\
            <th scope="col" class="number">Devices</th><th scope="col">Last contact \(Shown.zone)</th></tr></thead>
            <tbody>\(accounts.map(row))</tbody></table>
            \(pages(number))
            <section aria-labelledby="add"><h2 id="add">Add an account</h2>
            <form class="card narrow" method="post" action="\(url("accounts"))">\(token)
            <label for="name">Name</label>
            <input id="name" name="name" required maxlength="128" autocomplete="off" spellcheck="false">
            \(quotaField(nil))
            \(asksFactor ? factorField : HTML.empty)
            <button>Add it and create a sign-in code</button></form></section>
            """, tab: .accounts, isLive: false)
    }

    private func row(_ account: ShownAccount) -> HTML {
        """
        <tr><th scope="row"><a href="\(url("accounts/\(account.number)"))"><bdi>\(Shown.visible(account.name))</bdi></a>\(marks(account))</th>
        <td data-label="Used" class="number">\(Shown.size(account.used))</td>
        <td data-label="Quota" class="number">\(quota(account))</td>
        <td data-label="Devices" class="number">\(account.devices)</td>
        <td data-label="Last contact">\(seen(account))</td></tr>
        """
    }

    private func marks(_ account: ShownAccount) -> HTML {
        let owner: HTML = account.isOwner ? " <span class=\"mark\">owner</span>" : ""
        return account.isDisabled ? "\(owner) <span class=\"mark warn\">disabled</span>" : owner
    }

    private func quota(_ account: ShownAccount) -> HTML { account.quota.map { Shown.size($0) } ?? "none" }

    private func seen(_ account: ShownAccount) -> HTML { account.seen.map { Shown.time($0) } ?? "never" }

    private func quotaField(_ quota: UInt64?) -> HTML {
        """
        <label for="quota">Quota, such as 100G; empty: as much as fits on the disk</label>
        <input id="quota" name="quota" maxlength="32" autocomplete="off" spellcheck="false" value="\(quota.map(Self.typed) ?? "")">
        """
    }

    /// Returns a size as people type it, exactly.
    private static func typed(_ bytes: UInt64) -> String {
        if bytes > 0, bytes % (1 << 30) == 0 { return "\(bytes >> 30)G" }
        return bytes > 0 && bytes % (1 << 20) == 0 ? "\(bytes >> 20)M" : "\(bytes)"
    }

    /// The page of an account with the acts on it.
    ///
    /// - Parameter isOwn: Whether it is the account of the person who looks at it.
    package func accountPage(_ account: ShownAccount, isOwn: Bool, asksFactor: Bool) -> HTML {
        let place = "accounts/\(account.number)"
        return page(
            account.name,
            """
            <nav class="trail" aria-label="Path"><ol><li><a href="\(url("accounts"))">Accounts</a></li>\
            <li><h1><bdi>\(Shown.visible(account.name))</bdi>\(marks(account))</h1></li></ol></nav>
            <dl class="facts card"><dt>Used</dt><dd>\(Shown.size(account.used))</dd><dt>Quota</dt><dd>\(quota(account))</dd>
            <dt>Devices</dt><dd>\(account.devices)</dd><dt>Last contact</dt><dd>\(seen(account))\(account.seen == nil ? HTML.empty : " \(Shown.zone)")</dd></dl>
            <section aria-labelledby="change-quota"><h2 id="change-quota">Quota</h2>
            <form class="card narrow" method="post" action="\(url("\(place)/quota"))">\(token)
            \(quotaField(account.quota))
            \(asksFactor ? factorField : HTML.empty)
            <button>Set the quota</button></form></section>
            <section aria-labelledby="code"><h2 id="code">Sign-in code</h2>
            <form class="card narrow" method="post" action="\(url("\(place)/code"))">\(token)
            <p class="hint">For a new device or browser of this account.</p>
            \(asksFactor ? factorField : HTML.empty)
            <button>Create a sign-in code</button></form></section>
            \(access(account, place, isOwn: isOwn, asksFactor: asksFactor))
            """, tab: .accounts, isLive: false)
    }

    private func access(_ account: ShownAccount, _ place: String, isOwn: Bool, asksFactor: Bool) -> HTML {
        let act: HTML
        if account.isDisabled {
            act = """
                <form class="card narrow" method="post" action="\(url("\(place)/enable"))">\(token)
                \(asksFactor ? factorField : HTML.empty)
                <button>Enable the account</button></form>
                """
        } else if isOwn {
            act = "<p class=\"hint\">This is your own account; it cannot be disabled here.</p>"
        } else {
            act = "<p><a class=\"button grave\" href=\"\(url("\(place)/disable"))\">Disable the account</a></p>"
        }
        return "<section aria-labelledby=\"access\"><h2 id=\"access\">Access</h2>\(act)</section>"
    }
}
