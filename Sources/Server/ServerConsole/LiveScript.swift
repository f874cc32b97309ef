/// The script showing changes without a reload. Everything works without it; changes then appear on the next reload.
package enum LiveScript {
    package static let text = """
        "use strict";
        // The server says that something changed; the page is fetched again and its content put in place of what is shown.
        const script = document.currentScript;
        let isFetching = false, isStale = false, isLeaving = false;

        function isBusy() {
          const field = document.activeElement;
          return document.querySelector("main input[type=checkbox]:checked")
            || field && field.matches("main input:not([type=hidden]), main select");
        }

        // Times are written in UTC; this browser knows its person's zone.
        function localize(main) {
          const two = (number) => String(number).padStart(2, "0");
          for (const shown of main.querySelectorAll("time[datetime]")) {
            const time = new Date(shown.dateTime);
            if (isNaN(time)) continue;
            shown.title = shown.textContent + " UTC";
            shown.textContent = `${time.getFullYear()}-${two(time.getMonth() + 1)}-${two(time.getDate())} `
              + `${two(time.getHours())}:${two(time.getMinutes())}`;
          }
          for (const zone of main.querySelectorAll(".zone")) zone.remove();
        }
        localize(document.querySelector("main"));

        async function refresh() {
          if (isLeaving) return;
          if (isFetching || isBusy()) { isStale = true; return; }
          isFetching = true;
          isStale = false;
          try {
            const answer = await fetch(location.href, { headers: { Accept: "text/html" }, redirect: "manual" });
            if (answer.type === "opaqueredirect" && !isLeaving) return location.reload();
            const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector("main");
            const shown = document.querySelector("main");
            if (fresh) localize(fresh);
            if (!fresh || fresh.innerHTML === shown.innerHTML || isBusy() || isLeaving) return;
            const focused = document.activeElement && document.activeElement.getAttribute("href");
            shown.replaceWith(document.adoptNode(fresh));
            if (focused) document.querySelector(`main a[href="${CSS.escape(focused)}"]`)?.focus();
          } catch { /* The connection is away; its return brings the next event. */
          } finally {
            isFetching = false;
            if (isStale && !isBusy()) refresh();
          }
        }

        const events = new EventSource(script.dataset.events);
        events.addEventListener("change", refresh);
        // A form's answer is the next page; nothing may come between.
        document.addEventListener("submit", () => { isLeaving = true; });
        document.addEventListener("focusout", () => { if (isStale) setTimeout(refresh, 0); });

        """
}
