/** `light-dark()` follows the `color-scheme` of the page. */
const CSS = `
:host {
  --_accent: var(--skill-activity-accent, light-dark(#12685b, #6fcab6));
  --_background: var(--skill-activity-background, light-dark(#ffffff, #1c1f23));
  --_text: var(--skill-activity-text, light-dark(#1f2226, #e8e6e1));
  --_muted: var(--skill-activity-muted, light-dark(#5f656d, #a3a7ad));
  --_border: var(--skill-activity-border, light-dark(#d9d6ce, #3a3f46));
  --_error: var(--skill-activity-error, light-dark(#9a2b1e, #f0998b));
  --_radius: var(--skill-activity-radius, 12px);
  display: block; color: var(--_text); font-size: .875rem; line-height: 1.5; text-align: start; overflow-wrap: anywhere;
}
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
p, ol, ul, h3, dl, dd { margin: 0; }
ol, ul { padding: 0; list-style: none; }
[part='panel'] { padding: .9em 1em; border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_background); }
.cost-bars > p { color: var(--_muted); }
.cost-bars dl { display: grid; gap: .5em; margin-top: .3em; }
.cost-bars dl > div { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1em 1em; color: var(--_muted); }
.cost-bars .skillshelf { color: var(--_text); font-weight: 600; }
.cost-bars dd { font-variant-numeric: tabular-nums; }
.cost-bars .costs-bar { grid-column: 1 / -1; height: .5em; border-radius: 2px; overflow: hidden; background: color-mix(in srgb, var(--_border) 40%, transparent); }
.cost-bars .costs-bar span { display: block; width: calc(var(--share) * 100%); min-width: 1px; height: 100%; background: var(--_muted); }
.cost-bars .skillshelf span { background: var(--_accent); }
[part='ledger'] { width: 100%; margin-top: .8em; border-collapse: collapse; font-variant-numeric: tabular-nums; }
[part='ledger'] caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
[part='ledger'] th { padding: .2em .8em .2em 0; font-weight: 400; text-align: start; }
[part='ledger'] td { padding: .2em 0; text-align: end; white-space: nowrap; }
[part='ledger'] .bar { width: 35%; padding-inline-start: .8em; }
[part='ledger'] .bar span { display: block; height: .5em; width: calc(var(--share) * 100%); min-width: 1px; border-radius: 2px; background: var(--_accent); }
[part='ledger'] tr:last-child { border-top: 1px solid var(--_border); font-weight: 600; }
[part='ledger'] tr:last-child th { font-weight: 600; }
[part='turns'] { max-height: var(--skill-activity-height, 24rem); margin-top: .8em; overflow: auto; }
[part='turns']:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
[part='turn'] + [part='turn'] { margin-top: .8em; }
h3 { font-size: 1em; font-weight: 600; }
[part~='activity'] { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 1em; padding-inline-start: .8em; border-inline-start: 2px solid var(--_border); }
[part~='load'], [part~='load-reference'], [part~='read'] { border-inline-start-color: var(--_accent); }
[part~='error'] { color: var(--_error); }
[part='figures'], [part='empty'] { color: var(--_muted); }
[part='figures'] { font-variant-numeric: tabular-nums; }
`

let sheet: CSSStyleSheet | undefined

/** One style sheet for all elements. A constructed sheet is allowed under a strict content security policy. */
export function activityStyles(): CSSStyleSheet {
  if (!sheet) {
    sheet = new CSSStyleSheet()
    sheet.replaceSync(CSS)
  }
  return sheet
}
