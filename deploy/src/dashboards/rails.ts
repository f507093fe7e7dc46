import type { Dashboard } from '../dashboard.ts'

const perOperation = (q: number) => ({
  expr: `histogram_quantile(${q}, sum by (le, operation) (rate(rail_request_duration_seconds_bucket{rail="$rail"}[$__rate_interval])))`,
  legend: `{{operation}} p${q * 100}`,
})

/** Rate, errors and duration of each rail, and its open findings, a row for each. */
export const rails: Dashboard = {
  uid: 'merchant-payments-rails',
  title: 'Merchant Payments: rails',
  variables: { rail: 'rail_requests_total' },
  rows: [
    {
      title: '$rail',
      repeat: 'rail',
      panels: [
        {
          title: 'Calls by outcome',
          description:
            'unknown, unavailable and not_sent: the rail gave no usable answer. misconfigured: it refuses what is ours.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (operation, outcome) (rate(rail_requests_total{rail="$rail"}[$__rate_interval])) > 0',
              legend: '{{operation}} {{outcome}}',
            },
          ],
        },
        {
          title: 'Share without a usable answer',
          description:
            'Without look-ups; a refusal for our configuration counts. Above a half for five minutes pages. A quiet rail is judged by five failures instead.',
          type: 'timeseries',
          unit: 'percentunit',
          limit: 0.5,
          queries: [{ expr: 'rail:error_ratio:rate5m{rail="$rail"}', legend: 'errors' }],
        },
        {
          title: 'Time of calls',
          description: 'Until the answer, or until the adapter stopped waiting.',
          type: 'timeseries',
          unit: 's',
          queries: [perOperation(0.5), perOperation(0.99)],
        },
        {
          title: 'Undecided charges',
          description:
            'Open charges whose approval window ended more than 20 minutes ago: the rail does not say how they ended.',
          type: 'timeseries',
          unit: 'short',
          limit: 5,
          queries: [{ expr: 'max by (within) (charges_undecided{rail="$rail"})', legend: '{{within}}' }],
        },
        {
          title: 'Oldest undecided charge',
          description: 'Since its opening. More than a day raises a ticket.',
          type: 'timeseries',
          unit: 's',
          limit: 86_400,
          queries: [{ expr: 'max(charges_undecided_oldest_seconds{rail="$rail"})', legend: 'oldest' }],
        },
        {
          title: 'Open findings',
          description: 'After a restore: references that only the rail knows, until a person has decided.',
          type: 'timeseries',
          unit: 'short',
          limit: 1,
          queries: [{ expr: 'max(rail_findings_open{rail="$rail"})', legend: 'open' }],
        },
      ],
    },
  ],
}
