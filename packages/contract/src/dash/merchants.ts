import { z } from 'zod'
import { exampleIds } from '../examples.ts'
import { currencyField, minorUnits } from '../fields.ts'
import { idParam } from '../form.ts'
import { intentStatus } from '../payment-intents.ts'
import { instant, instantOrNull, staffRead } from './common.ts'
import { MerchantClient } from './deployment.ts'

const Endpoint = z
  .strictObject({
    id: z.string().describe('The endpoint’s id in the configuration.'),
    url: z.string().describe('The address to which events are posted.'),
    secrets: z.int().describe('How many secrets sign its events: two during a rotation.'),
    is_cut: z
      .boolean()
      .describe(
        'Whether older deliveries were not looked at: the search found fewer than `looked_at_most` among the merchant’s newest `searched_at_most` deliveries, and ended there.',
      ),
    attempts: z
      .int()
      .describe(
        'Deliveries among those looked at that have an attempt. The figures are of their last attempts.',
      ),
    succeeded: z.int().describe('How many of these attempts succeeded.'),
    p50_ms: z
      .int()
      .nullable()
      .describe('The median time of an attempt, in milliseconds. Null if there is none.'),
    p95_ms: z
      .int()
      .nullable()
      .describe('The time of an attempt that 95 % do not exceed, in milliseconds. Null if there is none.'),
    last_success_at: instantOrNull(
      'When the last of the successful attempts began.',
      'if none of them succeeded',
    ),
    failures: z
      .array(
        z.strictObject({
          cause: z.string().describe('The HTTP status, or why there was no answer.'),
          count: z.int().describe('How many attempts failed so.'),
        }),
      )
      .describe('The failed attempts by their cause, the most frequent first: at most 10 causes.'),
    exhausted: z.int().describe('How many deliveries are exhausted. The count stops at 10 000.'),
    due: z.int().describe('How many deliveries are due now. The count stops at 10 000.'),
  })
  .meta({
    id: 'EndpointHealth',
    description: 'A webhook endpoint of a merchant, and how its newest deliveries went.',
  })

/** A merchant's registration with the payments of the last day and the health of its endpoints. */
export const MerchantDetail = MerchantClient.extend({
  endpoints: z.array(Endpoint).describe('Its webhook endpoints.'),
  since: instant('Start of the counted time: one day before the answer.'),
  counted_at_most: z.int().describe('How many of the newest payments since then are counted.'),
  looked_at_most: z.int().describe('How many of the newest deliveries of each endpoint are looked at.'),
  searched_at_most: z
    .int()
    .describe('Among how many of the merchant’s newest deliveries those of an endpoint are found.'),
  volume: z
    .array(
      z.strictObject({
        status: intentStatus,
        currency: currencyField,
        count: z.int().describe('Number of payments.'),
        amount: minorUnits('Sum of their amounts.'),
      }),
    )
    .describe('Payments since then by state and currency: the newest `counted_at_most`.'),
}).meta({
  id: 'MerchantDetail',
  description:
    'A merchant’s registration, with its payments of the last day and the health of its endpoints.',
})
export type MerchantDetail = z.infer<typeof MerchantDetail>

export const retrieveMerchantClient = staffRead({
  id: 'merchantClients.retrieve',
  path: '/merchant_clients/{id}',
  summary: 'Open a merchant',
  description: [
    'Reads a merchant’s registration, its payments of the last day and the health of its endpoints.',
  ],
  params: z.object({ id: idParam('client') }),
  schema: MerchantDetail,
  ok: 'The merchant.',
  example: { id: exampleIds.merchant, answer: { id: exampleIds.merchant, object: 'merchant_client' } },
})
