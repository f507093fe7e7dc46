import type { DemoReport } from './demo-payment.ts'
import { eventsOf } from './demo-scenarios.ts'
import { secondsOf } from './progress.ts'

const COLUMN = 10

export function renderTimelines(reports: readonly DemoReport[]): string {
  const words = reports.flatMap(({ moments }) => moments.map(({ what }) => what.length))
  const width = Math.max(...words, 0)
  return reports.map((report, index) => renderTimeline(report, index + 1, width)).join('\n\n')
}

function renderTimeline({ scenario, moments, fault }: DemoReport, number: number, width: number): string {
  const rows = moments.map(({ what, afterMs }, index) => {
    const tookMs = afterMs - (moments[index - 1]?.afterMs ?? 0)
    return `   ${what.padEnd(width)}${secondsOf(afterMs).padStart(COLUMN)}${`+${secondsOf(tookMs)}`.padStart(COLUMN)}`
  })
  const outcome = eventsOf(scenario).join(', then ')
  const verdict = fault === null ? `   right: ${outcome}` : `   WRONG, not ${outcome}: ${fault}`
  return [`${number}. ${scenario.msisdn}: ${scenario.title}`, ...rows, verdict].join('\n')
}
