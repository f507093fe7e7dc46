import { EVENT_BYTES_MAX, eventKinds, type EventType, eventTypes } from '@merchant-payments/contract'
import { createTestEvent } from '@merchant-payments/webhook-verifier/testing'

/** The types that `merchant-payments trigger` brings about. */
const triggered: Readonly<Record<EventType, boolean>> = {
  'payment_intent.created': false,
  'payment_intent.processing': false,
  'payment_intent.succeeded': true,
  'payment_intent.payment_failed': true,
  'payment_intent.canceled': true,
  'charge.refunded': true,
  'charge.refund.updated': true,
  'checkout.session.expired': false,
  'customer.created': true,
  'customer.updated': true,
  'customer.deleted': true,
  'invoice.created': true,
  'invoice.finalized': true,
  'invoice.paid': true,
  'invoice.voided': true,
}

const isWritten = (type: EventType): boolean =>
  type !== 'payment_intent.created' && type !== 'payment_intent.processing'

/** Generates docs/guides/events.md from the event types of the contract. */
export const eventsPage = (): string =>
  [opening, table(), details, ...eventTypes.filter(isWritten).map(sectionOf)].join('\n\n') + '\n'

const table = (): string =>
  [
    '| type | when it is written | `data.object` |',
    '| --- | --- | --- |',
    ...eventTypes.map((type) => {
      const { description, object } = eventKinds[type]
      return `| ${isWritten(type) ? `[\`${type}\`](#${anchorOf(type)})` : `\`${type}\``} | ${description} | \`${object}\` |`
    }),
  ].join('\n')

const anchorOf = (type: string): string => type.replaceAll(/[^\w]/g, '')

function sectionOf(type: EventType): string {
  const body = JSON.stringify(createTestEvent(type), null, 2)
  const trigger = triggered[type]
    ? `\n\n\`npx merchant-payments trigger --env-file .env ${type}\` brings it about on a development system.`
    : ''
  return `### ${type}\n\n${eventKinds[type].description}${trigger}\n\n\`\`\`json\n${body}\n\`\`\``
}

const opening = `<!-- Generated from packages/contract by \`npx pnpm@12 guides\`. Do not edit: change the declarations. -->

# Events

An event is a record of a change, written in the same transaction as the change. Each endpoint of a merchant gets each event as a
signed POST. \`GET /v1/events\` lists the same events.

This version has fifteen types, two of which it never writes. A later version can have more: answer 2xx to a type that you do
not know. \`checkout.session.completed\`, \`invoice.payment_failed\` and \`invoice.marked_uncollectible\` never come.`

const details = `## Handle events

- **Verify** the signature over the raw body before you parse it: [webhook-verifier](../../packages/webhook-verifier/README.md).
- **Take ${EVENT_BYTES_MAX / 1024} KiB.** The largest event has this size: metadata has up to 50 values of 500 characters. Parsers such as \`express.json()\`
  refuse a body above 100 kB with 413, unless you raise their limit.
- **Answer 2xx** within ten seconds, and do slow work afterwards. Any other answer, a redirect too, is repeated: eight POSTs, the
  last one about 31 hours after the first.
- **Handle each \`id\` once.** Deliveries repeat, and come in any order. Decide by the object's own \`status\`, or read the object.
- **Catch up** with \`GET /v1/events\` after an outage of yours. The service does not tell you of deliveries that it gave up.
- \`data.object\` is a snapshot of the change. It has no \`client_secret\`. A session has \`url\` null, and an invoice has no lines in it.

On your machine, \`npx merchant-payments listen --env-file .env --forward-to http://localhost:3000/webhooks\` brings the events of
any deployment. [Your first payment](take-your-first-payment.md) makes the file \`.env\`.

## The bodies`
