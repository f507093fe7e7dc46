import { setTimeout as delay } from 'node:timers/promises'
import type { EventType, MerchantPayments } from '@merchant-payments/node-sdk'
import { Command } from 'commander'
import { openConnection, withConnection } from '../connection.ts'
import { exitCodes, Failure } from '../failure.ts'
import type { AnyEvent } from '../follow.ts'
import { outputOf } from '../output.ts'
import { recipes } from '../recipes.ts'

const RAIL = 'mtn_momo_cm'
const POLL_MS = 500
const POLLS_MAX = 120
const PAGE_LIMIT = 50

export const triggerCommand = (): Command =>
  withConnection(
    new Command('trigger')
      .description('Brings an event about on a development system, by the change that writes it.')
      .argument('<type>', `one of ${Object.keys(recipes).join(', ')}`)
      .option('--rail <code>', 'a push rail of the mock rails', RAIL),
  ).action(trigger)

async function trigger(type: string, { rail, ...flags }: { rail: string }, command: Command): Promise<void> {
  if (!isType(type))
    throw new Failure(`${type} is not a type of event`, exitCodes.usage, Object.keys(recipes))
  const recipe = recipes[type]
  if ('never' in recipe) throw new Failure(`${type} cannot be triggered`, exitCodes.usage, [recipe.never])
  const { payments } = await openConnection(flags)
  await refuseLivemode(payments)
  const event = await eventOf(payments, type, await recipe({ payments, rail }))
  await outputOf(command).print(event, `${event.id}  ${event.type}`)
}

const isType = (text: string): text is EventType => Object.hasOwn(recipes, text)

/** A deployment without any event is looked at again by the recipes, at the first object that they create. */
async function refuseLivemode(payments: MerchantPayments): Promise<void> {
  const { data } = await payments.events.list({ limit: 1 }).page()
  if (data[0]?.livemode !== true) return
  throw new Failure('this is livemode: trigger is for development systems', exitCodes.usage)
}

async function eventOf(payments: MerchantPayments, type: EventType, objectId: string): Promise<AnyEvent> {
  for (let polls = 0; polls < POLLS_MAX; polls += 1) {
    const { data } = await payments.events.list({ type, limit: PAGE_LIMIT }).page()
    const found = data.find((event) => (event.data.object as { id?: string }).id === objectId)
    if (found !== undefined) return found
    await delay(POLL_MS)
  }
  throw new Failure(`${objectId} has no event ${type} after a minute`, exitCodes.negative)
}
