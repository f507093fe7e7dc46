import type { EventListParams } from '@merchant-payments/node-sdk'
import { Command } from 'commander'
import { type ConnectionFlags, openConnection, withConnection } from '../connection.ts'
import { answerWords, newSecret } from '../delivery.ts'
import { requireBareUrl } from '../http-url.ts'
import { type AnyEvent, firstCursor, follow } from '../follow.ts'
import { outputOf } from '../output.ts'
import { placeFileOf, readPlace, writePlace } from '../place.ts'

interface Flags extends ConnectionFlags {
  readonly forwardTo: string
  readonly types?: string
  readonly state?: string
  readonly once?: true
}

export const listenCommand = (): Command =>
  withConnection(
    new Command('listen')
      .description('Follows the events of the merchant, and posts each to a server on this machine, signed.')
      .requiredOption('--forward-to <url>', 'where to post, such as http://localhost:3000/webhooks')
      .option('--types <types>', 'only these types, with commas: payment_intent.succeeded,invoice.*')
      .option('--state <file>', 'where it keeps its place and its secret (default: below ~/.local/state)')
      .option('--once', 'ends after the events that are there at its start'),
  ).action(listen)

/** A first run begins with the next event, a later one where the last stopped. */
async function listen(flags: Flags, command: Command): Promise<void> {
  requireBareUrl('--forward-to', flags.forwardTo)
  const { payments, options } = await openConnection(flags)
  const output = outputOf(command)
  const file = flags.state ?? placeFileOf(options.baseUrl, options.clientId, flags.forwardTo)
  const waits = new Set<string>()
  const wait = {
    once: flags.once ?? false,
    signal: stopSignal(),
    onWait: (reason: string) => {
      if (!waits.has(reason)) output.note(`${reason}; trying again`)
      waits.add(reason)
    },
  }
  const kept = await readPlace(file)
  const cursor = kept === null ? await firstCursor(payments, wait) : kept.cursor
  if (cursor === undefined) return
  const place = { cursor, secret: kept?.secret ?? newSecret() }
  if (kept === null) await writePlace(file, place)
  const begin = place.cursor === null ? 'from the first event on' : `after ${place.cursor}`
  await output.print(
    { listening: { forward_to: flags.forwardTo, secret: place.secret, after: place.cursor, state: file } },
    [
      `Posting to ${flags.forwardTo}, ${begin}. Ctrl-C stops; the next run goes on from there.`,
      `Verify with this secret, as PAYMENTS_WEBHOOK_SECRET of your server: ${place.secret}`,
    ],
  )
  await follow({
    ...wait,
    payments,
    forwardTo: flags.forwardTo,
    types: flags.types?.split(',') as EventListParams['types'],
    place,
    keep: (next) => writePlace(file, next),
    onAnswer: async (event, answer) => {
      waits.clear()
      await output.print(
        {
          event: event.id,
          type: event.type,
          object: objectIdOf(event),
          status: answer.status,
          duration_ms: answer.durationMs,
        },
        `${event.type}  ${event.id}  ${objectIdOf(event)}  ${answerWords(answer)}`,
      )
    },
  })
}

const objectIdOf = ({ data }: AnyEvent): string => (data.object as { id?: string }).id ?? ''

/** The first Ctrl-C stops after the event under way. */
function stopSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => controller.abort())
  return controller.signal
}
