extension PageFrame {
    /// The page showing a sign-in code, once.
    ///
    /// - Parameters:
    ///   - address: The server's address for devices; nil if it is unknown.
    ///   - back: The path of the page to continue with.
    package func deviceCodePage(
        _ code: String, limits: [HTML], address: String?, back: String = "devices", tab: Tab = .devices
    ) -> HTML {
        page(
            "Sign-in code",
            """
            <section class="card narrow">
            <h1>Sign-in code</h1>
            <p><code id="new-code">\(code)</code></p>
            <ul>\(limits.map { "<li>\($0)</li>" })</ul>
            <p>On the device:</p>
            <p class="row"><code id="command">ubiquity login \(address ?? "URL") --code \(code)</code> \(copyButton("command"))</p>
            <p><a class="button" href="\(url(back))">Done</a></p>
            </section>
            """, tab: tab, isLive: false, script: CopyScript.name)
    }

    /// A button that copies an element's text. ``CopyScript`` shows it.
    func copyButton(_ element: String) -> HTML {
        "<button type=\"button\" hidden data-copy=\"\(element)\">Copy</button>"
    }
}

/// The script of the buttons that copy a text. Without it people select the text themselves, and no such button is
/// shown.
package enum CopyScript {
    static let name = "copy.js"

    package static let text = """
        "use strict";
        for (const button of document.querySelectorAll("button[data-copy]")) {
          const source = document.getElementById(button.dataset.copy);
          button.hidden = false;
          button.addEventListener("click", async () => {
            try {
              // Only pages over TLS have a clipboard; the selection is copied elsewhere.
              if (navigator.clipboard) await navigator.clipboard.writeText(source.textContent);
              else {
                getSelection().selectAllChildren(source);
                if (!document.execCommand("copy")) return;
              }
              button.textContent = "Copied";
            } catch { getSelection().selectAllChildren(source); }
          });
        }

        """
}
