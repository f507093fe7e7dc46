import type { Dashboard } from '../dashboard.ts'

/** Each worker reads the same queues, so any of them has the value. */
const perQueue = (metric: string, queues: string) => ({
  expr: `max by (queue) (${metric}{queue=~"${queues}"})`,
  legend: '{{queue}}',
})
const WORK =
  'charges_to_query|refunds_to_instruct|returns_to_instruct|events_to_fan_out|deliveries|alerts_to_record|bulk_jobs'
const AT_REST = 'charges_rested|refunds_rested|returns_rested|rows_refused|events_failed|dead_letters'

/** What waits for the worker, how late it is, and how webhooks fare. */
export const queues: Dashboard = {
  uid: 'merchant-payments-queues',
  title: 'Merchant Payments: queues and webhooks',
  rows: [
    {
      title: 'Queues',
      panels: [
        {
          title: 'Lateness',
          description: 'How long the oldest row has been due. Above a minute pages.',
          type: 'timeseries',
          unit: 's',
          limit: 60,
          queries: [perQueue('queue_oldest_overdue_seconds', WORK)],
        },
        {
          title: 'Depth',
          description:
            'Rows, counted up to ten thousand. Charges also wait here for their payers, deliveries for their rungs. Five thousand events, or deliveries that are due, make a ticket.',
          type: 'timeseries',
          unit: 'short',
          queries: [perQueue('queue_waiting', `${WORK}|deliveries_due`)],
        },
        {
          title: 'Oldest lease',
          description: 'Above a minute: a worker died, or claims more than it can handle.',
          type: 'timeseries',
          unit: 's',
          limit: 120,
          queries: [{ expr: 'max by (queue) (queue_oldest_lease_seconds)', legend: '{{queue}}' }],
        },
        {
          title: 'Waits for a person',
          description: 'Rows at rest, failed fan-outs and dead letters.',
          type: 'timeseries',
          unit: 'short',
          limit: 1,
          queries: [perQueue('queue_waiting', `${AT_REST}|deliveries_exhausted`)],
        },
        {
          title: 'Erasures',
          description: 'Their number, and the age of the oldest. An hour is too long.',
          type: 'timeseries',
          unit: 'short',
          queries: [
            { expr: 'max(queue_waiting{queue="erasures"})', legend: 'under way' },
            {
              expr: 'max(queue_oldest_overdue_seconds{queue="erasures"}) / 60',
              legend: 'minutes of the oldest',
            },
          ],
        },
        {
          title: 'Throughput',
          description: 'Charges moved, events fanned out, attempts of deliveries.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            { expr: 'sum(rate(charges_settled_total[$__rate_interval]))', legend: 'charges' },
            { expr: 'sum(rate(events_fanned_out_total[$__rate_interval]))', legend: 'events' },
            {
              expr: 'sum by (status) (rate(webhook_deliveries_total[$__rate_interval]))',
              legend: 'deliveries {{status}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Webhooks',
      panels: [
        {
          title: 'Delay of the first POST',
          description:
            'From the event. The time for which an endpoint or its merchant has too many POSTs under way is left out.',
          type: 'timeseries',
          unit: 's',
          limit: 10,
          queries: [0.5, 0.99].map((q) => ({
            expr: `histogram_quantile(${q}, sum by (le) (rate(webhook_first_attempt_delay_seconds_bucket[$__rate_interval])))`,
            legend: `p${q * 100}`,
          })),
        },
        {
          title: 'Attempts by result',
          description: 'With the reason, if no answer came.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (result, error) (rate(webhook_attempts_total[$__rate_interval]))',
              legend: '{{result}} {{error}}',
            },
          ],
        },
        {
          title: 'Time of attempts',
          description: 'p99 of the POSTs, by result.',
          type: 'timeseries',
          unit: 's',
          queries: [
            {
              expr: 'histogram_quantile(0.99, sum by (le, result) (rate(webhook_attempt_duration_seconds_bucket[$__rate_interval])))',
              legend: '{{result}}',
            },
          ],
        },
      ],
    },
  ],
}
