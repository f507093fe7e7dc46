import type { Dashboard } from '../dashboard.ts'

const perSurface = (expr: string) => ({ expr: `sum by (surface) (${expr})`, legend: '{{surface}}' })

/** Health and load of each process. */
export const processes: Dashboard = {
  uid: 'merchant-payments-processes',
  title: 'Merchant Payments: processes',
  rows: [
    {
      title: 'Health',
      panels: [
        {
          title: 'Scraped',
          description: '0: Prometheus gets no metrics. A worker without its database is at 0 too.',
          type: 'timeseries',
          unit: 'short',
          queries: [{ expr: 'up{job=~"merchant-payments-(api|worker)"}', legend: '{{job}} {{instance}}' }],
        },
        {
          title: 'Ready',
          description:
            '0: no balancer sends it requests. All apis at 0 for a minute page, a worker for ten minutes makes a ticket.',
          type: 'timeseries',
          unit: 'short',
          queries: [{ expr: 'process_ready', legend: '{{job}} {{instance}}' }],
        },
        {
          title: 'Started',
          description: 'Three starts in half an hour page.',
          type: 'stat',
          unit: 'dateTimeFromNow',
          queries: [{ expr: 'process_start_time_seconds * 1000', legend: '{{job}} {{instance}}' }],
        },
        {
          title: 'Memory',
          description: 'Resident.',
          type: 'timeseries',
          unit: 'bytes',
          queries: [{ expr: 'process_resident_memory_bytes', legend: '{{job}} {{instance}}' }],
        },
        {
          title: 'Worst delay of the event loop',
          description: 'Since the scrape before. Half a second for five minutes makes a ticket.',
          type: 'timeseries',
          unit: 's',
          limit: 0.5,
          queries: [{ expr: 'nodejs_eventloop_lag_seconds{quantile="1"}', legend: '{{job}} {{instance}}' }],
        },
        {
          title: 'Observations left out',
          description: 'Their metric has too many series. Any makes a ticket.',
          type: 'timeseries',
          unit: 'short',
          queries: [
            {
              expr: 'max by (job, instance, metric) (metric_observations_dropped_total)',
              legend: '{{job}} {{instance}} {{metric}}',
            },
          ],
        },
        {
          title: 'Oldest commit that waits',
          description: 'For a synchronous standby. Ten seconds page.',
          type: 'timeseries',
          unit: 's',
          limit: 10,
          queries: [{ expr: 'max(database_commit_wait_seconds)', legend: 'oldest' }],
        },
        {
          title: 'Oldest snapshot',
          description: 'For which the database keeps rows that are gone. Two hours make a ticket.',
          type: 'timeseries',
          unit: 's',
          limit: 7_200,
          queries: [{ expr: 'max by (holder) (database_oldest_snapshot_seconds)', legend: '{{holder}}' }],
        },
        {
          title: 'Lag of the standby for reads',
          description: 'Staff read from the primary above 20 s, and while there is no sample.',
          type: 'timeseries',
          unit: 's',
          limit: 5,
          queries: [{ expr: 'database_reader_lag_seconds', legend: '{{instance}}' }],
        },
        {
          title: 'Passes of the worker',
          description: 'p99 of their time.',
          type: 'timeseries',
          unit: 's',
          queries: [
            {
              expr: 'histogram_quantile(0.99, sum by (le, pass) (rate(worker_pass_duration_seconds_bucket[$__rate_interval])))',
              legend: '{{pass}}',
            },
          ],
        },
        {
          title: 'Failed passes',
          description: 'In ten minutes, by pass.',
          type: 'timeseries',
          unit: 'short',
          limit: 3,
          queries: [
            { expr: 'sum by (pass) (increase(worker_pass_failures_total[10m])) > 0', legend: '{{pass}}' },
          ],
        },
      ],
    },
    {
      title: 'Load of the api',
      panels: [
        {
          title: 'Requests by route',
          description: 'The ten busiest.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'topk(10, sum by (method, route) (rate(http_server_request_duration_seconds_count[$__rate_interval])))',
              legend: '{{method}} {{route}}',
            },
          ],
        },
        {
          title: 'Answers of 500 and above',
          description: '502 is a rail’s failure, 503 overload or the database’s absence.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (route, status) (rate(http_server_request_duration_seconds_count{status=~"5.."}[$__rate_interval]))',
              legend: '{{status}} {{route}}',
            },
          ],
        },
        {
          title: 'Tokens',
          description: 'By result; the response never has the reason.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (result, reason) (rate(oauth_tokens_total[$__rate_interval]))',
              legend: '{{result}} {{reason}}',
            },
          ],
        },
        {
          title: 'Under way',
          description: 'Requests that have a slot.',
          type: 'timeseries',
          unit: 'short',
          queries: [perSurface('requests_running')],
        },
        {
          title: 'Waiting',
          description: 'Requests without a slot. For minutes: the service is full.',
          type: 'timeseries',
          unit: 'short',
          limit: 1,
          queries: [perSurface('requests_waiting')],
        },
        {
          title: 'Shed and rested',
          description: 'Shed: refused with 503. Rested: after it, its merchant’s share made room for others.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (surface) (rate(requests_shed_total[$__rate_interval]))',
              legend: 'shed {{surface}}',
            },
            {
              expr: 'sum by (surface) (rate(requests_rested_total[$__rate_interval]))',
              legend: 'rested {{surface}}',
            },
          ],
        },
        {
          title: 'Look-ups of account holders',
          description: 'refused: beyond the pace of a merchant; spent: a payment that had its five.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [
            {
              expr: 'sum by (surface, result) (rate(account_holder_lookups_total[$__rate_interval]))',
              legend: '{{surface}} {{result}}',
            },
          ],
        },
        {
          title: 'Replayed answers',
          description: 'Repeated requests that got their stored answer. A rise means that merchants retry.',
          type: 'timeseries',
          unit: 'reqps',
          queries: [{ expr: 'sum(rate(idempotent_replays_total[$__rate_interval]))', legend: 'replays' }],
        },
      ],
    },
  ],
}
