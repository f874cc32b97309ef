extension PageFrame {
    /// The sign-in page.
    ///
    /// - Parameters:
    ///   - problem: The problem with the last attempt.
    ///   - offer: The parameters for signing in with a passkey, where browsers support it.
    package func signInPage(problem: String? = nil, offer: PasskeyOffer? = nil) -> HTML {
        page(
            "Sign in",
            """
            <section class="card narrow">
            <h1>Sign in</h1>
            \(alert(problem))
            <form method="post" action="\(url("sign-in"))">\(token)
            <label for="code">Sign-in code</label>
            <input id="code" name="code" required autofocus autocomplete="one-time-code" autocapitalize="characters" \
            spellcheck="false" placeholder="ABCD-EFGH-JKMN-PQRS" aria-describedby="hint">
            <p id="hint" class="hint">The server's owner makes one, in the console under <em>Accounts</em> or with \
            <code>ubiquity-server account code NAME</code>. \
            It works once.</p>
            <button class="primary">Sign in</button>
            </form>
            \(offer.map { passkeySignIn($0) })
            </section>
            """, script: offer == nil ? nil : "passkey.js")
    }

    /// The page requesting the second factor of a sign-in whose code is valid and not used up yet.
    package func secondFactorPage(code: String, problem: String? = nil) -> HTML {
        page(
            "Sign in",
            """
            <section class="card narrow">
            <h1>Authenticator app</h1>
            \(alert(problem))
            <form method="post" action="\(url("sign-in"))">\(token)
            <input type="hidden" name="code" value="\(code)">
            <label for="factor">The code that the app shows now, or a recovery code</label>
            <input id="factor" name="factor" required autofocus autocomplete="one-time-code" spellcheck="false">
            <button class="primary">Sign in</button>
            </form>
            </section>
            """)
    }

    private func alert(_ problem: String?) -> HTML? {
        problem.map { "<p class=\"problem\" role=\"alert\">\($0)</p>" }
    }

    /// An error page.
    package func problemPage(_ title: String, _ message: String) -> HTML {
        page(
            title,
            """
            <section class="card narrow">
            <h1>\(title)</h1>
            <p role="alert">\(message)</p>
            <p><a href="\(url(""))">Back to the console</a></p>
            </section>
            """)
    }

    /// The page requesting confirmation of something grave. `word` has to be typed to confirm it, and so has a second
    /// factor if `asksFactor`.
    package func confirmPage(
        _ question: String, _ consequences: [HTML], action: String, button: String, back: String, word: String? = nil,
        fields: [(name: String, value: String)] = [], asksFactor: Bool = false
    ) -> HTML {
        let typed = word.map { word -> HTML in
            """
            <label for="word">Type <strong>\(word)</strong> to confirm</label>
            <input id="word" name="word" required autocomplete="off" autocapitalize="none" spellcheck="false">
            """
        }
        let hidden = fields.map { "<input type=\"hidden\" name=\"\($0.name)\" value=\"\($0.value)\">" as HTML }
        return page(
            question,
            """
            <section class="card narrow">
            <h1>\(question)</h1>
            <ul>\(consequences.map { "<li>\($0)</li>" })</ul>
            <form method="post" action="\(url(action))">\(token)\(hidden)
            \(typed)\(asksFactor ? factorField : HTML.empty)
            <p class="row"><button class="grave">\(button)</button> <a class="button" href="\(url(back))">Cancel</a></p>
            </form>
            </section>
            """)
    }
}
