#!/usr/bin/env node
// Draws a bar or line chart from a CSV file with the columns label and value.
// Usage: node chart.mjs bar|line FILE [--title TEXT] [--unit TEXT] > chart.svg
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { title: { type: 'string', default: '' }, unit: { type: 'string', default: '' } },
})
const [type, file] = positionals
if (!['bar', 'line'].includes(type) || !file) {
  console.error('usage: node chart.mjs bar|line FILE [--title TEXT] [--unit TEXT]')
  process.exit(2)
}

const rows = readFileSync(file, 'utf8')
  .trim()
  .split(/\r?\n/)
  .slice(1)
  .map(line => {
    const comma = line.lastIndexOf(',')
    return { label: line.slice(0, comma).replace(/^"|"$/g, ''), value: Number(line.slice(comma + 1)) }
  })
if (rows.length === 0 || rows.some(({ value }) => !Number.isFinite(value))) {
  console.error(`${file} needs a header line and rows of a label and a number`)
  process.exit(1)
}

const escape = text => text.replace(/[&<>"]/g, char => `&#${char.charCodeAt(0)};`)
const written = value => `${value}${options.unit ? ` ${options.unit}` : ''}`
const width = 640
const top = options.title ? 56 : 20
const parts = []

function bars() {
  if (rows.some(({ value }) => value < 0)) throw new Error('Bars need values of zero or more; use a line')
  const sorted = [...rows].sort((a, b) => b.value - a.value)
  const largest = sorted[0].value || 1
  sorted.forEach(({ label, value }, index) => {
    const y = top + index * 34
    const length = (value / largest) * 380
    const color = index === 0 ? '#4477aa' : '#b8c4d0'
    parts.push(`<text x="150" y="${y + 18}" text-anchor="end">${escape(label)}</text>`)
    parts.push(`<rect x="160" y="${y}" width="${length.toFixed(1)}" height="26" fill="${color}"/>`)
    parts.push(`<text x="${(168 + length).toFixed(1)}" y="${y + 18}">${escape(written(value))}</text>`)
  })
  return top + sorted.length * 34 + 10
}

function line() {
  const all = rows.map(({ value }) => value)
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const x = index => 40 + (index / Math.max(1, rows.length - 1)) * 520
  const y = value => top + 200 - ((value - low) / (high - low || 1)) * 180
  const points = rows.map(({ value }, index) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`)
  parts.push(`<polyline points="${points.join(' ')}" fill="none" stroke="#4477aa" stroke-width="2.5"/>`)
  rows.forEach(({ label, value }, index) => {
    parts.push(`<text x="${x(index).toFixed(1)}" y="${top + 232}" text-anchor="middle">${escape(label)}</text>`)
    if (value !== low && value !== high) return
    parts.push(`<circle cx="${x(index).toFixed(1)}" cy="${y(value).toFixed(1)}" r="4" fill="#4477aa"/>`)
    parts.push(
      `<text x="${x(index).toFixed(1)}" y="${(y(value) - 10).toFixed(1)}" text-anchor="middle">${escape(written(value))}</text>`,
    )
  })
  return top + 250
}

const height = type === 'bar' ? bars() : line()
const title = options.title || `${type} chart of ${file}`
console.log(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif" font-size="14" fill="#333">
<title>${escape(title)}</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${options.title ? `<text x="20" y="32" font-size="18" font-weight="600">${escape(options.title)}</text>\n` : ''}${parts.join('\n')}
</svg>`)
