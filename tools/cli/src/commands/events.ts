import type { EventListParams } from '@merchant-payments/node-sdk'
import { Command, InvalidArgumentError } from 'commander'
import { openConnection, withConnection } from '../connection.ts'
import { answerWords, deliver, isAccepted, newSecret, secretsOf } from '../delivery.ts'
import { exitCodes, Failure } from '../failure.ts'
import { requireBareUrl } from '../http-url.ts'
import { outputOf } from '../output.ts'

const LIMIT = 10
const LIMIT_MAX = 10_000

const limitOf = (text: string): number => {
  const limit = /^\d{1,5}$/.test(text) ? Number(text) : 0
  if (limit < 1 || limit > LIMIT_MAX) throw new InvalidArgumentError(`It must be from 1 to ${LIMIT_MAX}.`)
  return limit
}

export const eventsCommand = (): Command =>
  new Command('events')
    .description('The events of the merchant.')
    .addCommand(
      withConnection(
        new Command('list')
          .description('Lists events, newest first.')
          .option('--limit <number>', 'how many', limitOf, LIMIT)
          .option('--types <types>', 'only these types, with commas: payment_intent.succeeded,invoice.*'),
      ).action(listEvents),
    )
    .addCommand(
      withConnection(new Command('get').description('Prints an event.').argument('<id>', 'evt_…')).action(
        getEvent,
      ),
    )
    .addCommand(
      withConnection(
        new Command('resend')
          .description('Posts an event to a server once more, signed. The service keeps no record of it.')
          .argument('<id>', 'evt_…')
          .requiredOption('--to <url>', 'where to post')
          .option(
            '--secret <secret>',
            'what to sign with, two with a comma (PAYMENTS_WEBHOOK_SECRET; default: a new one)',
          ),
      ).action(resendEvent),
    )

async function listEvents(
  { limit, types, ...flags }: { limit: number; types?: string },
  command: Command,
): Promise<void> {
  const { payments } = await openConnection(flags)
  const output = outputOf(command)
  const filter = types === undefined ? {} : { types: types.split(',') as EventListParams['types'] }
  for (const event of await payments.events.list(filter).toArray({ limit })) {
    const time = new Date(event.created * 1_000).toISOString()
    await output.print(event, `${time}  ${event.id}  ${event.type}`)
  }
}

async function getEvent(id: string, flags: object, command: Command): Promise<void> {
  const { payments } = await openConnection(flags)
  const event = await payments.events.retrieve(id)
  await outputOf(command).print(event, JSON.stringify(event, null, 2))
}

async function resendEvent(
  id: string,
  { to, secret: given, ...flags }: { to: string; secret?: string },
  command: Command,
): Promise<void> {
  requireBareUrl('--to', to)
  const { payments, webhookSecret } = await openConnection(flags)
  const output = outputOf(command)
  const event = await payments.events.retrieve(id)
  const known = secretsOf(given ?? webhookSecret)
  const secret = newSecret()
  const isNew = known.length === 0
  if (isNew) output.note(`Signed with ${secret}`)
  const answer = await deliver(event, { url: to, secrets: isNew ? [secret] : known })
  await output.print(
    {
      event: id,
      status: answer.status,
      duration_ms: answer.durationMs,
      ...(isNew && { secret }),
    },
    `${id}  ${answerWords(answer)}`,
  )
  if (answer.status === null) throw new Failure(`${to} does not answer`, exitCodes.unreachable)
  if (!isAccepted(answer)) throw new Failure(`${to} refused the event`, exitCodes.negative)
}
