import type { Dashboard } from '../dashboard.ts'

const CONFIRM = 'route=~"/v1/payment_intents/:id/confirm|/v1/browser/payment_intents/:id/confirm"'
const CREATE = 'route="/v1/payment_intents"'
const quantile = (q: number, selector: string) =>
  `histogram_quantile(${q}, sum by (le) (rate(http_server_request_duration_seconds_bucket{method="POST",${selector}}[$__rate_interval])))`

/** The first look: whether payments work, and which of the other dashboards shows why not. */
export const overview: Dashboard = {
  uid: 'merchant-payments-overview',
  title: 'Merchant Payments: overview',
  rows: [
    {
      title: 'Objectives',
      panels: [
        {
          title: 'Good share of 30 days',
          description: 'How much of each objective was good. docs/operations.md, Objectives.',
          type: 'stat',
          unit: 'percentunit',
          queries: [{ expr: '1 - slo:burn_rate:30d * slo:budget:ratio', legend: '{{slo}}' }],
        },
        {
          title: 'Budget left of 30 days',
          description: 'At zero the objective is missed.',
          type: 'stat',
          unit: 'percentunit',
          queries: [{ expr: 'clamp_min(1 - slo:burn_rate:30d, 0)', legend: '{{slo}}' }],
        },
        {
          title: 'Burn rate',
          description: 'How many times faster than allowed the budget is spent. 14.4 pages.',
          type: 'timeseries',
          unit: 'short',
          limit: 14.4,
          queries: [
            { expr: 'slo:burn_rate:1h', legend: '{{slo}} 1 h' },
            { expr: 'slo:burn_rate:6h', legend: '{{slo}} 6 h' },
          ],
        },
      ],
    },
    {
      title: 'Payments',
      panels: [
        {
          title: 'Requests',
          description: 'Creates, confirms and tokens in a second.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [{ expr: 'slo:total:rate5m{slo=~"create|confirm|token"}', legend: '{{slo}}' }],
        },
        {
          title: 'Time of creates and confirms',
          description: 'A confirm waits for its rail.',
          type: 'timeseries',
          unit: 's',
          queries: [
            { expr: quantile(0.5, CREATE), legend: 'create p50' },
            { expr: quantile(0.99, CREATE), legend: 'create p99' },
            { expr: quantile(0.5, CONFIRM), legend: 'confirm p50' },
            { expr: quantile(0.99, CONFIRM), legend: 'confirm p99' },
          ],
        },
        {
          title: 'Refusals',
          description: 'Refused requests by code.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'topk(10, sum by (code) (rate(http_refusals_total[$__rate_interval])))',
              legend: '{{code}}',
            },
          ],
        },
        {
          title: 'Time to settle',
          description:
            'From the opening of a charge to the answer that settled it, with the minutes of the payer.',
          type: 'timeseries',
          unit: 's',
          limit: 1_200,
          queries: [0.5, 0.99].map((q) => ({
            expr: `histogram_quantile(${q}, sum by (le, rail) (rate(charge_settlement_duration_seconds_bucket[$__rate_interval])))`,
            legend: `{{rail}} p${q * 100}`,
          })),
        },
        {
          title: 'Settled charges',
          description: 'By their end.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (rail, status) (rate(charge_settlement_duration_seconds_count[$__rate_interval]))',
              legend: '{{rail}} {{status}}',
            },
          ],
        },
        {
          title: 'Needs attention',
          description: 'Alerts that nobody has taken, of any age.',
          type: 'timeseries',
          unit: 'short',
          queries: [{ expr: 'max by (alert) (attention_items_open) > 0', legend: '{{alert}}' }],
        },
        {
          title: 'Alert lines',
          description: 'In the last hour. docs/operations.md, Alert lines, says what to do.',
          type: 'timeseries',
          unit: 'short',
          queries: [{ expr: 'sum by (alert) (increase(alerts_total[1h])) > 0', legend: '{{alert}}' }],
        },
      ],
    },
  ],
}
