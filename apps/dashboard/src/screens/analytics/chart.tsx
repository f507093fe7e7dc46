import { useEffect, useRef, useSyncExternalStore } from 'react'
import uPlot from 'uplot'
import 'uplot/dist/uPlot.min.css'
import { formatLocale } from '../../i18n.ts'

/** The tones of the style, each with a value by day and one by night. */
type Tone = 'good' | 'wait' | 'warn'

export interface Line {
  readonly label: string
  readonly tone: Tone
  readonly values: readonly (number | null)[]
}

/** A vertical line. */
export interface Mark {
  /** Unix seconds. */
  readonly at: number
  readonly tone: Tone
}

interface ChartProps {
  readonly title: string
  /** Unix seconds. */
  readonly times: readonly number[]
  readonly lines: readonly Line[]
  readonly marks: readonly Mark[]
  /** The time that the chart covers, in Unix seconds. */
  readonly from: number
  readonly until: number
  readonly timeZone: string
  /** The greatest value, if it is known. Default: the greatest of the lines. */
  readonly most?: number | undefined
  /** The id of the table with the same figures. */
  readonly details: string
}

const HEIGHT = 220
const DEFAULT_WIDTH = 600
const MARGIN = 1.1
const AXIS_WIDTH = 80
/** A line with fewer points shows each. A longer one shows only those without a neighbour, which no line reaches. */
const SHOWN_POINTS = 50
const DAYS_SHOWN_SEC = 3 * 86_400

const theme = () => matchMedia('(prefers-color-scheme: dark)')

function onTheme(changed: () => void): () => void {
  const media = theme()
  media.addEventListener('change', changed)
  return () => media.removeEventListener('change', changed)
}

/** The value of a property of the style. A canvas knows no custom properties. */
function colorOf(element: HTMLElement, property: `--${string}`): string {
  element.style.color = `var(${property})`
  const { color } = getComputedStyle(element)
  element.style.color = ''
  return color
}

const MARK_DASH = [4, 3]

/** Draws the marks over the lines, so that a dense line hides none. */
function drawMarks(chart: uPlot, marks: readonly (Mark & { readonly color: string })[]): void {
  const { ctx, bbox } = chart
  ctx.save()
  ctx.lineWidth = devicePixelRatio
  ctx.setLineDash(MARK_DASH.map((length) => length * devicePixelRatio))
  for (const { at, color } of marks) {
    const x = Math.round(chart.valToPos(at, 'x', true))
    ctx.strokeStyle = color
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

/** The width of the axis of amounts: as narrow as in the other charts, unless it would cut a label to another number. */
function widthOf(chart: uPlot, labels: string[] | null, axisAt: number): number {
  const { font, ticks, gap = 0 } = chart.axes[axisAt] ?? {}
  // uPlot has put the font's description first.
  chart.ctx.font = font?.[0] ?? chart.ctx.font
  const widths = (labels ?? []).map((label) => chart.ctx.measureText(label).width / devicePixelRatio)
  return Math.max(AXIS_WIDTH, Math.max(0, ...widths) + (ticks?.size ?? 0) + gap)
}

const isValue = (value: number | null | undefined): boolean => value != null

/** The places of the values that have none beside them. */
const alone = (values: Line['values']): number[] =>
  values.flatMap((value, at) =>
    isValue(value) && !isValue(values[at - 1]) && !isValue(values[at + 1]) ? [at] : [],
  )

function optionsOf(element: HTMLElement, { lines, marks, from, until, timeZone, most }: ChartProps) {
  const isLong = until - from > DAYS_SHOWN_SEC
  const format = new Intl.DateTimeFormat(formatLocale, {
    timeZone,
    ...(isLong ? { month: 'short', day: 'numeric' } : { hour: '2-digit', minute: '2-digit' }),
  })
  const colored = marks
    .filter(({ at }) => at >= from && at <= until)
    .map((mark) => ({ ...mark, color: colorOf(element, `--${mark.tone}`) }))
  const axis = {
    stroke: colorOf(element, '--quiet'),
    grid: { stroke: colorOf(element, '--line'), width: 1 },
  }
  return {
    width: element.clientWidth || DEFAULT_WIDTH,
    height: HEIGHT,
    hooks: { draw: [(chart: uPlot) => drawMarks(chart, colored)] },
    legend: { show: false },
    cursor: { show: false },
    tzDate: (sec: number) => uPlot.tzDate(new Date(sec * 1_000), timeZone),
    scales: {
      x: { range: [from, until] as [number, number] },
      y: {
        range: (_: uPlot, __: number | null, top: number | null): [number, number] => [
          0,
          most ?? (top ? top * MARGIN : 1),
        ],
      },
    },
    axes: [
      { ...axis, values: (_: uPlot, splits: number[]) => splits.map((sec) => format.format(sec * 1_000)) },
      {
        ...axis,
        size: widthOf,
        values: (_: uPlot, splits: number[]) => splits.map((value) => value.toLocaleString(formatLocale)),
      },
    ],
    series: [
      {},
      ...lines.map(({ label, tone, values }) => {
        const isShort = values.filter(isValue).length < SHOWN_POINTS
        return {
          label,
          stroke: colorOf(element, `--${tone}`),
          width: 2,
          points: { show: isShort, filter: () => (isShort ? null : alone(values)) },
        }
      }),
    ],
  } satisfies uPlot.Options
}

/** Lines over time. Readers without sight use the table that `details` names. */
export function Chart(props: ChartProps) {
  const { title, times, lines, marks, from, until, timeZone, most, details } = props
  const place = useRef<HTMLDivElement>(null)
  const isDark = useSyncExternalStore(onTheme, () => theme().matches)
  useEffect(() => {
    const element = place.current
    if (element === null) return
    const shown = { title, times, lines, marks, from, until, timeZone, most, details }
    const data: uPlot.AlignedData = [[...times], ...lines.map(({ values }) => [...values])]
    const chart = new uPlot(optionsOf(element, shown), data, element)
    const resized = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height: HEIGHT }))
    resized.observe(element)
    return () => {
      resized.disconnect()
      chart.destroy()
    }
  }, [title, times, lines, marks, from, until, timeZone, most, details, isDark])
  return (
    <figure className="chart">
      <div ref={place} role="img" aria-label={title} aria-details={details} />
      {lines.length > 1 && (
        <figcaption>
          {lines.map(({ label, tone }) => (
            <span key={label} className={`status ${tone}`}>
              {label}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  )
}
