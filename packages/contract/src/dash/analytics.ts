import { z } from 'zod'
import { objectField, railCodeField } from '../fields.ts'
import { createdFilter } from '../form.ts'
import { listOf } from '../list.ts'
import { instant, instantOrNull, merchantFilter, staffRead, textOrNull } from './common.ts'
import { zone } from './zones.ts'
import { analyticsSizes, attentionAlerts } from '../words.ts'

/** Sizes of buckets, with the longest time that each may cover. docs/spec-gaps.md, analytics. */
export type AnalyticsSize = (typeof analyticsSizes)[number]
export const analyticsDaysMax: Readonly<Record<AnalyticsSize, number>> = { '5m': 1, hour: 31, day: 92 }
/** Days for which buckets of five minutes are kept. Those of an hour stay. docs/spec-gaps.md, analytics. */
export const ANALYTICS_FINE_DAYS = 31

/** Alerts of each rail among which the marks of a chart are found. docs/spec-gaps.md, analytics. */
export const ANALYTICS_MARKS_MAX = 50
/** The newest builds of a chart's time that have a mark. docs/spec-gaps.md, analytics. */
export const ANALYTICS_BUILDS_MAX = 50

const count = (what: string) => z.int().describe(`How many ${what} there are.`)
const time = (share: string) =>
  z
    .int()
    .nullable()
    .describe(
      `The time in milliseconds within which ${share} of the paid charges were paid. Null if none was.`,
    )

export const outcomeFields = {
  opened: count('charges'),
  succeeded: count('charges that paid'),
  failed: count('charges that failed or never reached the rail'),
  duplicate: count('duplicate charges'),
  waiting: count('charges whose outcome is open'),
  p50_ms: time('half'),
  p95_ms: time('95 %'),
} as const

const Point = z
  .strictObject({
    at: instant('The start of the bucket.'),
    ...outcomeFields,
    amount: z.int().describe('Sum of the charges that paid in XAF, in francs.'),
  })
  .meta({ id: 'AnalyticsPoint', description: 'The charges that were opened in a bucket of time.' })
export type AnalyticsPoint = z.infer<typeof Point>

export const Analytics = z
  .strictObject({
    object: objectField('analytics'),
    size: z.enum(analyticsSizes).describe('The size of the buckets.'),
    from: instant(
      'The start of the time that it covers: the one that was asked for, rounded down to 5 minutes for buckets of `5m`, else to an hour.',
    ),
    until: instant(
      'The end of that time, which it does not include: the one that was asked for, rounded up in the same way, or the present time if that is earlier.',
    ),
    final_until: instant('Charges that were opened later may still change.'),
    points: z.array(Point).describe('The buckets with any charge, oldest first.'),
    declines: z
      .array(
        z.strictObject({
          rail: railCodeField('The rail that refused.'),
          code: z.string().describe('The code that the rail answered.'),
          count: count('charges that failed with it'),
        }),
      )
      .describe('The most frequent codes of failed charges, at most 20.'),
    funnel: z
      .strictObject({
        created: count('payments'),
        sent: count('payments of which a rail has accepted a charge'),
        approved: count('paid payments'),
      })
      .describe(
        'The payments of the time. With a filter by rail: those that offer it, those of which it has accepted a charge, and those that were paid on it.',
      ),
    marks: z
      .array(
        z.strictObject({
          at: instant('When it happened.'),
          state: z
            .enum(['raised', 'resolved'])
            .describe('`raised`: the alert was raised for the first time. `resolved`: a person ended it.'),
          rail: railCodeField('The rail of the alert.'),
          alert: z.enum(attentionAlerts).describe('The alert, as docs/operations.md explains it.'),
          item: z.string().describe('The id of its item in the inbox.'),
          about: z.string().describe('The id of the object that the alert is about.'),
          payment_intent: textOrNull('The id of the payment that shows the object.', 'if no payment does'),
        }),
      )
      .describe(
        `Alerts of the rails in this time, oldest first: of each rail its newest ${ANALYTICS_MARKS_MAX} alerts.`,
      ),
    builds: z
      .array(
        z.strictObject({
          at: instant('When the build first ran.'),
          app: z.enum(['api', 'worker']).describe('The process.'),
          build: z.string().describe('The version and the revision of its image.'),
        }),
      )
      .describe(
        `Builds that first ran in this time, oldest first: the newest ${ANALYTICS_BUILDS_MAX}. No filter applies to them.`,
      ),
  })
  .meta({ id: 'Analytics', description: 'What became of the charges and payments of a time.' })
export type Analytics = z.infer<typeof Analytics>

export const retrieveAnalytics = staffRead({
  id: 'analytics.retrieve',
  path: '/analytics',
  summary: 'Show what became of charges over time',
  description: [
    'Counts charges by the time at which they were opened, from small tables that the worker keeps some seconds behind the ledger.',
  ],
  query: z.strictObject({
    size: z
      .enum(analyticsSizes, `must be one of ${analyticsSizes.join(', ')}`)
      .optional()
      .describe(
        'The size of the buckets: `5m` for at most 1 day, `hour` for 31 days, `day` for 92 days. Default: `hour` for a time of at most 31 days, else `day`.',
      ),
    created: createdFilter.describe(
      'The time that it covers, such as `created[gte]=1767225600`. Default: the last day.',
    ),
    zone,
    merchant: merchantFilter,
    rail: z.string('must be a single rail').optional().describe('Counts charges on the rail with this code.'),
  }),
  schema: Analytics,
  ok: 'The counts.',
  example: { params: { size: 'hour', rail: 'mtn_momo_cm' }, answer: { object: 'analytics', size: 'hour' } },
})

export const RailHealth = z
  .strictObject({
    id: z.string().describe('The code of the rail.'),
    object: objectField('rail_health'),
    ...outcomeFields,
    last_error: z
      .strictObject({
        code: textOrNull('The code that the rail answered.', 'if it gave none'),
        message: textOrNull('The message that the rail answered.', 'if it gave none'),
        at: instantOrNull('When the charge was settled.', 'if that is not known'),
      })
      .nullable()
      .describe(
        'Of the newest failed charge of the rail among the newest 5 000 charges of all rails and merchants. Null if none of these failed on the rail.',
      ),
  })
  .meta({ id: 'RailHealth', description: 'What became of a rail’s charges of the last hour.' })
export type RailHealth = z.infer<typeof RailHealth>

export const listRailHealth = staffRead({
  id: 'railHealth.list',
  path: '/rail_health',
  summary: 'Show how each rail does',
  description: ['Counts the charges of the last hour for each enabled rail. The list is not paged.'],
  schema: listOf(RailHealth),
  ok: 'All rails.',
  example: { answer: { object: 'list', has_more: false } },
})
