import { z } from 'zod'
import { setting } from '../setting.ts'
import { displayName } from '../rail-display.ts'
import { calledUrl } from '../url.ts'

/** A call that runs when its process is stopped ends before the process does, and before a balancer gives up (60 s). */
const TOTAL_TIMEOUT_MAX_MS = 20_000

/** With its default, which differs per adapter. */
export const firstQueryAfterMs = (ms: number) =>
  z
    .int()
    .min(0)
    .max(60_000)
    .default(ms)
    .meta(
      setting({ description: 'The wait between an accepted charge and its first status query.', unit: 'ms' }),
    )

export const commonFields = {
  display_name: displayName,
  base_url: calledUrl.meta(setting({ description: 'The address of the operator’s API.' })),
  connect_timeout_ms: z
    .int()
    .min(1)
    .max(60_000)
    .default(5_000)
    .meta(
      setting({
        description: 'The longest wait for a connection. At most `total_timeout_ms` counts.',
        unit: 'ms',
      }),
    ),
  total_timeout_ms: z
    .int()
    .min(1)
    .max(TOTAL_TIMEOUT_MAX_MS)
    .default(TOTAL_TIMEOUT_MAX_MS)
    .meta(setting({ description: 'The longest time of one request, with its answer.', unit: 'ms' })),
  max_connections: z
    .int()
    .min(1)
    .max(1_024)
    .default(64)
    .meta(
      setting({
        description:
          'Connections of each process to this rail for each kind of call. Submits and status queries are two kinds, and those of refunds two more. Look-ups of account holders have 16 at most, requests for a token two.',
      }),
    ),
  first_query_after_ms: firstQueryAfterMs(2_000),
}
