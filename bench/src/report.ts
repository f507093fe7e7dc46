import { type Figure, isReached, type Target, type Unit } from './figure.ts'
import type { Machine } from './machine.ts'

export interface Report {
  readonly machine: Machine
  readonly figures: readonly Figure[]
}

const titles = ['measured path', 'ours', 'peer', 'ratio', 'target', '']

/** An aligned table, and the machine that it is from. */
export function renderReport({ machine, figures }: Report): string {
  const rows = [titles, ...figures.map(rowOf)]
  const widths = titles.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) =>
    row
      .map((cell, column) => {
        const width = widths[column] ?? 0
        return column === 0 ? cell.padEnd(width) : cell.padStart(width)
      })
      .join('  ')
      .trimEnd(),
  )
  const { cores, cpu, node, postgres, fdatasyncUs } = machine
  const place = `${cores} cores (${cpu}), Node ${node}, PostgreSQL ${postgres}, fdatasync ${fdatasyncUs} us`
  return [place, '', ...lines, ''].join('\n')
}

const rowOf = (figure: Figure): string[] => [
  figure.name,
  amount(figure.ours, figure.unit),
  figure.peer === null ? '-' : amount(figure.peer, figure.unit),
  figure.ratio === null ? '-' : figure.ratio.toFixed(2),
  figure.target === null ? '' : targetText(figure.target, figure.unit),
  { true: 'reached', false: 'MISSED', null: '' }[String(isReached(figure)) as 'true' | 'false' | 'null'],
]

function targetText(target: Target, unit: Unit): string {
  if ('ratioMin' in target) return `>= ${target.ratioMin.toFixed(2)}`
  return 'min' in target ? `>= ${amount(target.min, unit)}` : `<= ${amount(target.max, unit)}`
}

const amount = (value: number, unit: Unit): string => `${value.toFixed(value < 100 ? 1 : 0)} ${unit}`
