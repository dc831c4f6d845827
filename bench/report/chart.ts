import * as echarts from 'echarts'

export interface Bars {
  title: string
  /** The quantity and its unit. */
  axis: string
  categories: readonly string[]
  series: readonly { name: string; values: readonly (number | null)[] }[]
  logarithmic?: boolean
}

const WIDTH = 760
const ROW = 26
const TEXT = { color: '#5b6561', fontFamily: 'system-ui, sans-serif', fontSize: 13 }
const TITLE = { ...TEXT, color: '#1d2421', fontSize: 16, fontWeight: 600 }
const COLORS = ['#2f6f5e', '#c9772b', '#7c6fb0', '#9aa4a0', '#b8483f', '#4d86b8', '#c8b24a']

/** Horizontal bars as SVG, rendered without a browser. The background is white in dark mode too. */
export function barChart({ title, axis, categories, series, logarithmic = false }: Bars): string {
  const height = 110 + categories.length * (series.length * ROW + 14)
  const least = Math.min(...series.flatMap(({ values }) => values.filter(value => value !== null)))
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height })
  chart.setOption({
    animation: false,
    color: COLORS,
    backgroundColor: '#ffffff',
    title: { text: title, left: 16, top: 12, textStyle: TITLE },
    legend: {
      top: 40,
      left: 12,
      textStyle: TEXT,
      itemWidth: 12,
      itemHeight: 12,
      itemGap: 24,
      icon: 'rect',
    },
    // Labels cannot be measured without a browser: about 7 px per character.
    grid: {
      left: 28 + 7 * Math.max(...categories.map(({ length }) => length)),
      right: 64,
      top: 72,
      bottom: 56,
    },
    xAxis: {
      ...(logarithmic
        ? { type: 'log' as const, startValue: 10 ** Math.floor(Math.log10(least)) }
        : { type: 'value' as const }),
      name: axis,
      nameLocation: 'middle',
      nameGap: 26,
      nameTextStyle: TEXT,
      axisLabel: TEXT,
      splitLine: { lineStyle: { color: '#e4e8e6' } },
    },
    yAxis: {
      type: 'category',
      inverse: true,
      data: [...categories],
      axisLabel: TEXT,
      axisTick: { show: false },
    },
    series: series.map(({ name, values }) => ({
      type: 'bar',
      name,
      data: values.map(value => value ?? '-'),
      barMaxWidth: ROW - 6,
      label: { show: true, position: 'right', ...TEXT },
    })),
  })
  return finishSvg(chart, `${title}: ${axis}`)
}

export interface Curves {
  title: string
  x: string
  y: string
  /** Points from 0 to 1 on both axes. */
  series: readonly { name: string; points: readonly (readonly [x: number, y: number])[] }[]
}

/** A calibration curve: predicted against observed, with the diagonal of a perfect prediction. */
export function curveChart({ title, x, y, series }: Curves): string {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: 560, height: 520 })
  const axis = (name: string) => ({
    type: 'value' as const,
    min: 0,
    max: 1,
    name,
    nameLocation: 'middle' as const,
    nameGap: 32,
    nameTextStyle: TEXT,
    axisLabel: TEXT,
    splitLine: { lineStyle: { color: '#e4e8e6' } },
  })
  chart.setOption({
    animation: false,
    color: COLORS,
    backgroundColor: '#ffffff',
    title: { text: title, left: 16, top: 12, textStyle: TITLE },
    legend: { top: 40, left: 12, textStyle: TEXT, itemWidth: 18, itemGap: 24 },
    grid: { left: 64, right: 32, top: 84, bottom: 60 },
    xAxis: axis(x),
    yAxis: axis(y),
    series: [
      ...series.map(({ name, points }) => ({
        type: 'line',
        name,
        data: points.map(point => [...point]),
        symbolSize: 7,
      })),
      {
        type: 'line',
        name: 'perfect',
        data: [
          [0, 0],
          [1, 1],
        ],
        symbol: 'none',
        lineStyle: { type: 'dashed', color: '#9aa4a0' },
        itemStyle: { color: '#9aa4a0' },
      },
    ],
  })
  return finishSvg(chart, `${title}: ${y} by ${x}`)
}

/** Adds a title for screen readers, and removes the hover styles. */
function finishSvg(chart: echarts.ECharts, title: string): string {
  const svg = chart.renderToSVGString()
  chart.dispose()
  return `${svg.replace(/<style[\s\S]*?<\/style>\s*/, '').replace(/^(<svg[^>]*>)/, `$1<title>${title}</title>`)}\n`
}
