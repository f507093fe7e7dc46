import { countOpenItems, type Deps } from '@merchant-payments/core'
import type { Metrics } from '@merchant-payments/telemetry'

/**
 * Unlike the counter of alert lines, the gauge does not depend on which process raised an alert, nor on a scrape of
 * that process before.
 */
export function collectAttention(metrics: Metrics, { db }: Pick<Deps, 'db'>): void {
  metrics.gauge(
    'attention_items_open',
    'Unresolved alerts that nobody has taken, up to 10 000 of each alert.',
    ['alert'],
    async () =>
      [...(await countOpenItems(db.reader))].map(([alert, open]) => ({ labels: { alert }, value: open })),
  )
}
