import { type Figure, isReached, type Target, type Unit } from './figure.ts'
import type { Machine } from './machine.ts'
import type { TableWrites } from './system/writes.ts'

export interface Report {
  readonly machine: Machine
  readonly figures: readonly Figure[]
  readonly writes: readonly TableWrites[] | null
  /** The names of two systems that were compared. Null for a run against the peers of each path. */
  readonly compared: Compared | null
}

export interface Compared {
  readonly ours: string
  readonly peer: string
}

const titles = ['measured path', 'ours', 'peer', 'ratio', 'target', '']
const comparedTitles = ({ ours, peer }: Compared) => ['measured path', ours, peer, ...titles.slice(3)]
const writesTitles = ['rows of a payment', 'inserts', 'updates', 'HOT updates', 'deletes']

export function renderReport({ machine, figures, writes, compared }: Report): string {
  const { cores, cpu, node, postgres, fdatasyncUs } = machine
  const place = `${cores} cores (${cpu}), Node ${node}, PostgreSQL ${postgres}, fdatasync ${fdatasyncUs} us`
  const [head = '', ...rows] = tableOf([
    compared === null ? titles : comparedTitles(compared),
    ...figures.map(rowOf),
  ])
  const tables = [
    [head, ...rows.flatMap((row, n) => [row, ...durabilityLines(figures[n])])],
    ...(writes === null ? [] : [tableOf([writesTitles, ...writes.map(writesRowOf)])]),
  ]
  return [place, '', ...tables.flatMap((lines) => [...lines, ''])].join('\n')
}

function tableOf(rows: readonly string[][]): string[] {
  const columns = rows[0]?.map((_, column) => column) ?? []
  const widths = columns.map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd(),
  )
}

const writesRowOf = ({ table, inserts, updates, hotUpdates, deletes }: TableWrites): string[] => [
  table,
  ...[inserts, updates, hotUpdates, deletes].map((perPayment) => perPayment.toFixed(2)),
]

const rowOf = (figure: Figure): string[] => [
  figure.name,
  amount(figure.ours, figure.unit),
  figure.peer === null ? '-' : amount(figure.peer, figure.unit),
  figure.ratio === null ? '-' : figure.ratio.toFixed(2),
  figure.target === null ? '' : targetText(figure.target, figure.unit),
  { true: 'reached', false: 'MISSED', null: '' }[String(isReached(figure)) as 'true' | 'false' | 'null'],
]

function durabilityLines(figure: Figure | undefined): string[] {
  const durability = figure?.durability ?? null
  return durability === null ? [] : [`  ours: ${durability.ours}; peer: ${durability.peer}`]
}

function targetText(target: Target, unit: Unit): string {
  if ('ratioMin' in target) return `>= ${target.ratioMin.toFixed(2)}`
  return 'min' in target ? `>= ${amount(target.min, unit)}` : `<= ${amount(target.max, unit)}`
}

const amount = (value: number, unit: Unit): string => `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`
