#!/usr/bin/env node
// Contrast of two colors by WCAG 2.2.
//
// Usage: node contrast.js '#767676' '#ffffff'
//
// Exit code 1 if the ratio is below 4.5.

/** Red, green and blue from 0 to 1 of #rgb or #rrggbb. */
function channels(color) {
  const digits = color.replace(/^#/, '').replace(/^(.)(.)(.)$/, '$1$1$2$2$3$3')
  if (!/^[0-9a-f]{6}$/i.test(digits)) throw new Error(`${color} is not a color such as #767676`)
  return [0, 2, 4].map(start => Number.parseInt(digits.slice(start, start + 2), 16) / 255)
}

function luminance(color) {
  const [red, green, blue] = channels(color).map(value =>
    value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4,
  )
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

function contrast(one, other) {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

const [text, background] = process.argv.slice(2)
if (!text || !background) {
  console.error("Usage: node contrast.js '#767676' '#ffffff'")
  process.exit(2)
}
// Rounded down: 4.499 must not read 4.5.
const ratio = Math.floor(contrast(text, background) * 100) / 100
console.log(`${text} on ${background}: ${ratio.toFixed(2)}`)
for (const [use, least] of [
  ['text', 4.5],
  ['large text, borders, icons', 3],
  ['text, AAA', 7],
])
  console.log(`  ${ratio >= least ? 'pass' : 'FAIL'}  ${least}  ${use}`)
process.exit(ratio >= 4.5 ? 0 : 1)
