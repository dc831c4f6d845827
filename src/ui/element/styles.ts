import { lazy } from '../../core/concurrency.js'

/** `light-dark()` follows the `color-scheme` of the page. */
const CSS = `
:host {
  --_accent: var(--skill-search-accent, light-dark(#12685b, #6fcab6));
  --_background: var(--skill-search-background, light-dark(#ffffff, #1c1f23));
  --_text: var(--skill-search-text, light-dark(#1f2226, #e8e6e1));
  --_muted: var(--skill-search-muted, light-dark(#5f656d, #a3a7ad));
  --_border: var(--skill-search-border, light-dark(#d9d6ce, #3a3f46));
  --_selected: var(--skill-search-selected, light-dark(#eef4f2, #24302f));
  --_highlight: var(--skill-search-highlight, light-dark(#fbe7a6, #5d4c17));
  --_radius: var(--skill-search-radius, 12px);
  --_shadow: var(--skill-search-shadow, 0 16px 48px rgb(0 0 0 / 28%), 0 2px 8px rgb(0 0 0 / 12%));
  --_height: var(--skill-search-height, min(26rem, 60vh));
  display: block;
  color: var(--_text);
  line-height: 1.5;
  text-align: start;
  overflow-wrap: anywhere;
}
:host([dialog]) { display: inline-block; max-width: 100%; vertical-align: middle; }
:host([hidden]), [hidden] { display: none !important; }
*, ::before, ::after { box-sizing: border-box; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; }
h2, p, ul, pre { margin: 0; }
ul { padding: 0; list-style: none; }
:focus { outline: none; }
:focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
.icon { width: 1em; height: 1em; flex: none; fill: none; stroke: currentcolor; stroke-width: 1.6; stroke-linecap: round; stroke-linejoin: round; }
.back:dir(rtl) { transform: scaleX(-1); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

[part='trigger'] {
  display: inline-flex; align-items: center; gap: .6em; max-width: 100%;
  padding: .45em .6em .45em .8em; border: 1px solid var(--_border); border-radius: var(--_radius);
  background: var(--_background); color: var(--_muted);
}
[part='trigger']:dir(rtl) { padding: .45em .8em .45em .6em; }
[part='trigger']:hover { border-color: var(--_accent); color: var(--_text); }
[part='trigger'] > span { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
kbd {
  padding: .1em .45em; border: 1px solid var(--_border); border-radius: 5px;
  font: inherit; font-size: .75em; color: var(--_muted); white-space: nowrap;
}

dialog {
  width: min(40rem, 100vw - 2rem); max-width: none; max-height: none; margin: max(1rem, 12vh) auto auto; padding: 0; border: 0;
  background: none; color: inherit; overflow: visible;
}
dialog::backdrop { background: rgb(10 12 14 / 45%); }
[part='panel'] {
  display: flex; flex-direction: column; overflow: hidden;
  border: 1px solid var(--_border); border-radius: var(--_radius); background: var(--_background);
}
dialog [part='panel'] { max-height: min(36rem, 100dvh - max(1rem, 12vh) - 1rem); box-shadow: var(--_shadow); }
[part='panel']:focus-within:has([part='input']:focus-visible) { border-color: var(--_accent); }

[part='search'] { display: flex; align-items: center; gap: .7em; flex: none; padding-inline: 1em .6em; }
[part='search'] .icon { color: var(--_muted); }
[part='input'] {
  flex: 1; min-width: 0; height: 3.1em; padding: 0; border: 0; border-radius: 0; background: none;
  font-size: max(1em, 16px); text-overflow: ellipsis; appearance: none;
}
[part='input']:focus-visible { outline: none; }
[part='input']::placeholder { color: var(--_muted); opacity: 1; }
[part='clear'], [part='close'] {
  display: inline-flex; align-items: center; justify-content: center; min-width: 2em; height: 2em; padding: 0;
  border: 0; border-radius: 6px; background: none; color: var(--_muted);
}
[part='close'] { padding-inline: .6em; font-size: .875em; }
[part='clear']:hover, [part='close']:hover { background: var(--_selected); color: var(--_text); }

[part='status'] { flex: none; padding: .5em 1.23em; border-top: 1px solid var(--_border); color: var(--_muted); font-size: .8125em; }
[part='status']:empty { display: none; }
[part='error'] { display: flex; flex-wrap: wrap; gap: .5em 1em; align-items: center; padding: .9em 1.14em; border-top: 1px solid var(--_border); font-size: .875em; }
[part='error'] span { flex: 1 1 14rem; color: light-dark(#a3302b, #f0908a); }
[part='error'] button, [part='copy'] { padding: .25em .8em; border: 1px solid var(--_border); border-radius: 99px; background: none; font-size: .875rem; }
[part='error'] button:hover, [part='copy']:hover { border-color: var(--_accent); color: var(--_accent); }

[part='list'] { overflow-y: auto; overscroll-behavior: contain; padding: 0 .4em .4em; scroll-padding: .4em; }
:host(:not([dialog])) [part='list'], :host(:not([dialog])) [part='skill'] { max-height: var(--_height); }
[part~='option'] { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .1em .8em; padding: .6em; border-radius: calc(var(--_radius) - 4px); cursor: pointer; }
[part~='option'] > * { grid-column: 1 / -1; }
[part~='option'][aria-selected='true'] { background: var(--_selected); box-shadow: inset 3px 0 var(--_accent); }
[part~='option'][aria-selected='true']:dir(rtl) { box-shadow: inset -3px 0 var(--_accent); }
[part~='option'] [part='name'] { grid-column: 1; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 .5em; font-weight: 600; }
[part='alias'] { color: var(--_muted); font: .8125em ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }
[part='score'] { grid-column: 2; grid-row: 1; display: flex; align-items: center; gap: .5em; color: var(--_accent); font-size: .8125em; font-variant-numeric: tabular-nums; }
[part~='unlikely'] [part='score'] { color: var(--_muted); }
[part='bar'] { width: 3em; height: 4px; border-radius: 2px; overflow: hidden; background: var(--_border); }
[part='bar']::before { content: ''; display: block; width: calc(var(--score) * 100%); height: 100%; background: currentcolor; }
[part='description'] { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; font-size: .875em; color: var(--_text); }
[part~='unlikely'] [part='description'] { color: var(--_muted); }
/* In a text of the other direction, words keep their order and the lines stay aligned with the rest. */
[part='status'], [part='name'], [part='description'], [part='reason'], [part='title'], [part='about'], .hint { text-align: -webkit-match-parent; text-align: match-parent; }
[part='reason'] { color: var(--_muted); font-size: .8125em; }
mark { padding-inline: .1em; margin-inline: -.1em; border-radius: 3px; background: var(--_highlight); color: var(--_text); }

[part='skill'] { display: flex; flex-direction: column; min-height: 0; overflow-y: auto; overscroll-behavior: contain; border-top: 1px solid var(--_border); }
.bar { position: sticky; top: 0; display: flex; align-items: center; justify-content: space-between; gap: .6em; padding: .5em .45em; background: var(--_background); border-bottom: 1px solid var(--_border); }
[part='back'] { display: inline-flex; align-items: center; gap: .35em; padding: .25em .6em; border: 0; border-radius: 6px; background: none; color: var(--_muted); font-size: .875rem; }
[part='back']:hover { background: var(--_selected); color: var(--_text); }
.body { padding: 1em 1em 1.2em; }
[part='title'] { font-size: 1.15em; line-height: 1.3; }
[part='title']:focus-visible { outline: none; }
[part='about'] { margin-top: .3em; color: var(--_muted); font-size: .875em; }
[part='instructions'] { margin-top: 1em; padding-top: 1em; border-top: 1px solid var(--_border); white-space: pre-wrap; font: .8125em/1.6 ui-monospace, 'SF Mono', Menlo, Consolas, 'Noto Sans Mono CJK SC', monospace; tab-size: 4; }
::slotted([slot='instructions']) { margin-top: 1em; }
[part='files'] { margin-top: 1em; font-size: .8125em; color: var(--_muted); }
[part='files'] summary { cursor: pointer; }
[part='files'] li { margin-top: .3em; font-family: ui-monospace, 'SF Mono', Menlo, Consolas, monospace; }

[part='hints'] { display: flex; flex-wrap: wrap; gap: .3em 1.2em; flex: none; padding: .6em 1.33em; border-top: 1px solid var(--_border); color: var(--_muted); font-size: .75em; }
.hint { display: flex; align-items: baseline; gap: .45em; }
.hint kbd { font-size: .95em; }
@media (hover: none) { [part='hints'], [part='trigger'] kbd { display: none; } }
@media (max-width: 30rem) {
  dialog { width: 100vw; margin-top: 0; }
  dialog [part='panel'] { max-height: 100dvh; border-width: 0 0 1px; border-radius: 0 0 var(--_radius) var(--_radius); }
}
@media (forced-colors: active) { [part~='option'][aria-selected='true'] { outline: 2px solid Highlight; outline-offset: -2px; } }
@media (prefers-reduced-motion: no-preference) { dialog[open] { animation: appear .12s ease-out; } }
@keyframes appear { from { opacity: 0; transform: translateY(-6px); } }
`

/** One style sheet for all elements. A constructed sheet is allowed under a strict content security policy. */
export const styleSheet = lazy(() => {
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(CSS)
  return sheet
})
