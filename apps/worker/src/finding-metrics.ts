import { countOpenFindings, type Deps } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'

/** Shows a zero for each configured rail, so that an alert sees the first finding. */
export function collectFindings(metrics: Metrics, { db, rails }: Pick<Deps, 'db' | 'rails'>): void {
  metrics.gauge(
    'rail_findings_open',
    'References that only their rail knows and that wait for a person, up to ten thousand.',
    ['rail'],
    async () => {
      const open = await countOpenFindings(db.reader)
      const codes = new Set<string>([...rails.keys(), ...open.keys()])
      return [...codes].map((rail) => ({ labels: { rail }, value: open.get(rail) ?? 0 }))
    },
  )
}
