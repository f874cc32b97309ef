package import Basics

/// The account's second factor as the console shows it.
package enum ShownSecondFactor: Sendable {
    case off
    /// `address` is for an app to read, `secret` for a person to type instead.
    case settingUp(address: String, secret: String)
    case on(recoveryCodes: Int)

    var isOn: Bool { if case .on = self { true } else { false } }
}

/// A passkey as the console shows it.
package struct ShownPasskey: Sendable {
    package let number: Int64
    package let name: String
    package let created: Timestamp
    package let used: Timestamp?

    package init(number: Int64, name: String, created: Timestamp, used: Timestamp?) {
        self.number = number
        self.name = name
        self.created = created
        self.used = used
    }
}

/// The parameters for creating or using a passkey in a browser; bytes are in base64url.
package struct PasskeyOffer: Sendable {
    package let challenge: String
    package let domain: String
    /// The account's user handle, for a new passkey.
    package let user: String
    package let userName: String
    /// The account's passkeys; no authenticator creates a duplicate of these.
    package let known: [String]

    package init(challenge: String, domain: String, user: String = "", userName: String = "", known: [String] = []) {
        self.challenge = challenge
        self.domain = domain
        self.user = user
        self.userName = userName
        self.known = known
    }
}

extension PageFrame {
    /// The page about second factors and passkeys. `offer` is nil where browsers create no passkeys: without TLS, or at
    /// an IP address.
    package func securityPage(
        _ factor: ShownSecondFactor, _ passkeys: [ShownPasskey], _ offer: PasskeyOffer?
    ) -> HTML {
        page(
            "Security",
            """
            <h1>Security</h1>
            <section aria-labelledby="app"><h2 id="app">Authenticator app</h2>\(app(factor))</section>
            <section aria-labelledby="passkeys"><h2 id="passkeys">Passkeys</h2>\(list(passkeys, asksFactor: factor.isOn))
            \(offer.map { addPasskey($0, asksFactor: factor.isOn) } ?? noPasskeys)</section>
            """, tab: .security, isLive: false, script: offer == nil ? nil : "passkey.js")
    }

    private func app(_ factor: ShownSecondFactor) -> HTML {
        switch factor {
        case .off:
            """
            <p>Off. With an authenticator app, signing in a browser or a device also requires a code of the app.</p>
            \(button("Set up an app", to: "security/app"))
            """
        case .settingUp(let address, let secret):
            """
            <div class="card">
            <p>Add this account to the app: open the address on the device that has the app, or type the secret.</p>
            <dl class="facts"><dt>Address</dt><dd><a href="\(address)"><code>\(address)</code></a></dd>
            <dt>Secret</dt><dd><code>\(secret)</code></dd></dl>
            <form method="post" action="\(url("security/app/confirm"))">\(token)
            <label for="factor">The code that the app shows now</label>
            <input id="factor" name="factor" required autocomplete="one-time-code" inputmode="numeric" placeholder="123456">
            <button class="primary">Turn on</button></form>
            <p></p>\(button("Cancel", to: "security/app/off"))
            </div>
            """
        case .on(let count):
            """
            <p>On. \(Shown.count(count, "recovery code")) left, each for one sign-in without the app.</p>
            <form method="post" action="\(url("security/app/off"))">\(token)
            <label for="factor">A code of the app, or a recovery code</label>
            <input id="factor" name="factor" required autocomplete="one-time-code" spellcheck="false">
            <button class="grave">Turn off</button></form>
            """
        }
    }

    private func list(_ passkeys: [ShownPasskey], asksFactor: Bool) -> HTML {
        guard !passkeys.isEmpty else { return "<p class=\"empty\">No passkeys.</p>" }
        let rows = passkeys.map { passkey -> HTML in
            """
            <tr><th scope="row"><bdi>\(Shown.visible(passkey.name))</bdi></th>
            <td data-label="Added">\(Shown.time(passkey.created))</td>
            <td data-label="Last used">\(passkey.used.map { Shown.time($0) })</td>
            <td class="row"><form method="post" action="\(url("security/passkeys/\(passkey.number)/remove"))">\(token)\(asksFactor ? factorField : HTML.empty)\
            <button class="grave">Remove</button></form></td></tr>
            """
        }
        return """
            <table><thead><tr><th scope="col">Name</th><th scope="col">Added \(Shown.zone)</th><th scope="col">Last used \(Shown.zone)</th>\
            <th scope="col"><span class="hidden">What to do</span></th></tr></thead><tbody>\(rows)</tbody></table>
            """
    }

    var factorField: HTML {
        """
        <input name="factor" required autocomplete="one-time-code" spellcheck="false" placeholder="Code of the app" \
        aria-label="A code of the app, or a recovery code">
        """
    }

    private var noPasskeys: HTML {
        """
        <p class="hint">Browsers offer passkeys only for a host name with TLS, such as https://cloud.example.org. Behind a proxy \
        the server needs <code>--public-url</code>.</p>
        """
    }

    private func addPasskey(_ offer: PasskeyOffer, asksFactor: Bool) -> HTML {
        let factor: HTML =
            asksFactor
            ? """
            <label for="passkey-factor">A code of the app, or a recovery code</label>
            <input id="passkey-factor" name="factor" required autocomplete="one-time-code" spellcheck="false">
            """ : ""
        return """
            <form method="post" action="\(url("security/passkeys"))" class="passkey" hidden data-passkey="create" \
            data-challenge="\(offer.challenge)" data-domain="\(offer.domain)" data-user="\(offer.user)" \
            data-user-name="\(offer.userName)" data-known="\(offer.known.joined(separator: " "))">\(token)
            <input type="hidden" name="challenge" value="\(offer.challenge)">
            <input type="hidden" name="clientData"><input type="hidden" name="attestation">
            <label for="passkey-name">Name of the new passkey</label>
            <input id="passkey-name" name="name" maxlength="64" placeholder="Laptop" autocomplete="off">
            \(factor)
            <button class="primary">Add a passkey</button> <span role="status"></span></form>
            <noscript><p class="hint">Adding a passkey needs scripts.</p></noscript>
            """
    }

    /// The page showing the recovery codes, once.
    package func recoveryCodesPage(_ codes: [String]) -> HTML {
        page(
            "Recovery codes",
            """
            <section class="card narrow">
            <h1>The authenticator app is set up</h1>
            <p>Keep these recovery codes where you can find them without the app. Each works once, in place of a code of \
            the app. They are not shown again.</p>
            <ul class="codes">\(codes.map { "<li><code>\($0)</code></li>" as HTML })</ul>
            <p><a class="button" href="\(url("security"))">Done</a></p>
            </section>
            """, tab: .security, isLive: false)
    }

    /// The passkey form of the sign-in page. A script shows it if the browser supports passkeys.
    func passkeySignIn(_ offer: PasskeyOffer) -> HTML {
        """
        <form method="post" action="\(url("passkey-sign-in"))" class="passkey" hidden data-passkey="get" \
        data-challenge="\(offer.challenge)" data-domain="\(offer.domain)">\(token)
        <input type="hidden" name="challenge" value="\(offer.challenge)">
        <input type="hidden" name="credential"><input type="hidden" name="clientData">
        <input type="hidden" name="authenticatorData"><input type="hidden" name="signature">
        <input type="hidden" name="userHandle">
        <p></p><button id="passkey">Sign in with a passkey</button> <span role="status"></span></form>
        """
    }
}
