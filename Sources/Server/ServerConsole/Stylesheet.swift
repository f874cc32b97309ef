/// The stylesheet of all pages: light or dark like the reader's system, with tables turning into cards on a narrow
/// screen.
package enum Stylesheet {
    package static let text = """
        :root {
          color-scheme: light dark;
          --ground: #f6f7f9; --card: #fff; --ink: #1b1f24; --faint: #5b6570; --line: #dde1e6;
          --accent: #0b63ce; --on-accent: #fff; --grave: #b3261e; --warn: #8a5300; --warn-ground: #fff1d6; --good-ground: #e3f3e6;
        }
        @media (prefers-color-scheme: dark) {
          :root {
            --ground: #15181c; --card: #1e2227; --ink: #e6e9ed; --faint: #9aa4af; --line: #323941;
            --accent: #6fb0ff; --on-accent: #0b1a2b; --grave: #ff8a80; --warn: #ffcf7d; --warn-ground: #40320f; --good-ground: #1d3524;
          }
        }
        * { box-sizing: border-box; }
        body { margin: 0; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
        header { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1.25rem; padding: .6rem max(1rem, calc(50vw - 32rem));
          background: var(--card); border-bottom: 1px solid var(--line); }
        .brand { font-weight: 700; letter-spacing: -.01em; }
        nav a { color: var(--faint); text-decoration: none; }
        header nav, .tabs { display: flex; flex-wrap: wrap; gap: .25rem; }
        header nav a, .tabs a { padding: .3rem .6rem; border-radius: .4rem; }
        header nav a:hover, .tabs a:hover { background: var(--ground); color: var(--ink); }
        a[aria-current] { color: var(--ink); font-weight: 600; background: var(--ground); }
        .tabs { border-bottom: 1px solid var(--line); margin: 0 0 1rem; padding-bottom: .5rem; }
        .tabs a[aria-current] { background: var(--card); box-shadow: inset 0 0 0 1px var(--line); }
        .account { margin-left: auto; display: flex; align-items: center; gap: .6rem; color: var(--faint); }
        .skip { position: absolute; left: -100vw; }
        .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .3rem .6rem; }
        main { max-width: 64rem; margin: 0 auto; padding: 1.25rem 1rem 4rem; }
        h1 { font-size: 1.5rem; line-height: 1.25; margin: .25rem 0 1rem; overflow-wrap: anywhere; }
        h2 { font-size: 1.1rem; margin: 1.75rem 0 .6rem; }
        a { color: var(--accent); }
        .card { background: var(--card); border: 1px solid var(--line); border-radius: .7rem; padding: 1.1rem 1.25rem; }
        .card > :first-child { margin-top: 0; }
        .card > :last-child { margin-bottom: 0; }
        .narrow { max-width: 30rem; margin: 2rem auto; }
        .conflict { border-color: var(--warn); margin: 1.5rem 0; }
        .conflict table { border: 0; }
        table { width: 100%; border-collapse: collapse; background: var(--card); border: 1px solid var(--line); border-radius: .7rem;
          border-spacing: 0; border-collapse: separate; }
        th, td { padding: .55rem .9rem; text-align: left; border-top: 1px solid var(--line); vertical-align: middle; }
        thead th { border-top: 0; color: var(--faint); font-size: .85rem; font-weight: 500; }
        tbody th { font-weight: 400; overflow-wrap: anywhere; }
        tbody th a { text-decoration: none; color: var(--ink); }
        tbody th a:hover { color: var(--accent); text-decoration: underline; }
        td { color: var(--faint); font-variant-numeric: tabular-nums; }
        td time, td data { white-space: nowrap; }
        .number { text-align: right; }
        .total th, .total td { color: var(--faint); font-style: italic; }
        .icon { width: 1.15em; height: 1.15em; vertical-align: -.2em; fill: none; stroke: var(--faint); stroke-width: 1.4;
          stroke-linejoin: round; margin-right: .25em; }
        .icon.folder { fill: color-mix(in srgb, var(--accent) 22%, transparent); stroke: var(--accent); }
        .mark { display: inline-block; font-size: .8rem; padding: .05rem .5rem; border-radius: 1rem; background: var(--ground);
          color: var(--faint); border: 1px solid var(--line); text-decoration: none; white-space: nowrap; }
        .mark.warn { background: var(--warn-ground); color: var(--warn); border-color: transparent; }
        .row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; }
        td.row { justify-content: flex-end; }
        button, .button { font: inherit; font-size: .92rem; line-height: 1.3; padding: .35rem .8rem; border-radius: .45rem; cursor: pointer;
          border: 1px solid var(--line); background: var(--card); color: var(--ink); text-decoration: none; display: inline-block; }
        button:hover, .button:hover { border-color: var(--faint); }
        .primary { background: var(--accent); border-color: var(--accent); color: var(--on-accent); }
        .grave { color: var(--grave); }
        .quiet { padding: .2rem .6rem; }
        :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
        form { margin: 0; }
        label { display: block; font-weight: 500; margin-bottom: .25rem; }
        input, select { font: inherit; width: 100%; padding: .5rem .7rem; border: 1px solid var(--line); border-radius: .45rem; background: var(--ground);
          color: var(--ink); margin-bottom: .6rem; }
        input[type=checkbox] { width: auto; margin: 0; }
        td form { display: inline; }
        .hint { color: var(--faint); font-size: .88rem; }
        .notice { background: var(--good-ground); border-radius: .5rem; padding: .5rem .9rem; }
        .problem { background: var(--warn-ground); color: var(--warn); border-radius: .5rem; padding: .5rem .9rem; }
        .empty { color: var(--faint); padding: 1.5rem; text-align: center; border: 1px dashed var(--line); border-radius: .7rem; }
        .preview { max-width: 100%; border-radius: .45rem; }
        .preview.text { width: 100%; height: 32rem; border: 1px solid var(--line); background: #fff; }
        .facts { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1.5rem; margin: 0 0 1rem; }
        .facts dt { color: var(--faint); }
        .facts dd { margin: 0; overflow-wrap: anywhere; }
        .codes { columns: 2; list-style: none; padding: 0; }
        .passkey { max-width: 30rem; margin-top: 1rem; }
        .trail ol { list-style: none; padding: 0; margin: 0 0 .75rem; }
        .trail li { display: inline; }
        .trail li:not(:last-child)::after { content: " / "; color: var(--faint); }
        .trail li:last-child { display: block; }
        .trail h1 { margin: .1rem 0 0; }
        .pages { display: flex; gap: 1rem; justify-content: center; margin: 1rem 0; color: var(--faint); }
        .usage label { font-weight: 400; color: var(--faint); }
        meter, progress { width: 12rem; max-width: 100%; vertical-align: middle; }
        .hidden { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; white-space: nowrap; }
        @media (max-width: 40rem) {
          header nav { order: 1; width: 100%; justify-content: space-between; gap: 0; margin: 0 -.5rem; }
          header nav a { padding: .3rem .5rem; }
          thead { position: absolute; clip-path: inset(50%); }
          tr { display: block; padding: .6rem .9rem; border-top: 1px solid var(--line); }
          tbody tr:first-child { border-top: 0; }
          th, td, td.row, td.number { display: block; border: 0; padding: .1rem 0; text-align: left; }
          td:empty { display: none; }
          td[data-label]::before { content: attr(data-label) ": "; font-size: .88rem; }
          td.row { display: flex; padding-top: .4rem; justify-content: flex-start; }
        }

        """
}
