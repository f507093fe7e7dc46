import { isPending } from '../books/charges.ts'
import { comeLate, decide, hasLate, hasNews, instruct, lapse, settle, sweepIdle } from '../books/worker.ts'
import type { Books, Shop } from '../books/state.ts'
import type { Service } from '../run/service.ts'
import type { Dice } from './dice.ts'
import { insist } from './insist.ts'

/** An event outside the merchants' requests, applied to the model and the service. */
export interface Happening {
  readonly mayCome: (books: Books) => boolean
  readonly come: (world: World) => Promise<void>
}

export interface World {
  readonly books: Books
  readonly service: Service
  readonly dice: Dice
}

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** Delay of the mock's late success after its refusal. */
export const LATE_MS = 10 * MINUTE_MS

const always = () => true

const waiting = ({ intents }: Shop) =>
  intents.flatMap((intent) =>
    intent.charges.flatMap((charge, nth) => (isPending(charge) ? [{ intent, charge, nth }] : [])),
  )

const allWaiting = ({ shops }: Books) => [...shops.values()].flatMap(waiting)

async function payerDecides({ books, service, dice }: World): Promise<void> {
  const { intent, charge, nth } = dice.pick(allWaiting(books))
  const decision = dice.pick(['approve', 'approve', 'refuse', 'expire'] as const)
  await service.decide(intent.id, nth, decision)
  decide(charge, decision)
}

async function settleAll({ books, service }: World): Promise<void> {
  await service.settle(books)
  settle(books, service.nowMs)
}

/** Settles other news first, because the order of two charges of one intent would decide the events. */
async function lateSuccesses(world: World): Promise<void> {
  const { books, service } = world
  do await settleAll(world)
  while (hasNews(books))
  await service.comeLate(LATE_MS)
  comeLate(books)
  await settleAll(world)
}

async function instructAll({ books, service }: World): Promise<void> {
  await service.instruct()
  instruct(books, service.nowMs)
}

async function sweepSessions({ books, service }: World): Promise<void> {
  await service.lapse()
  lapse(books, service.nowMs)
}

async function sweepCustomers({ books, service }: World): Promise<void> {
  await service.sweepIdle()
  sweepIdle(books, service.nowMs)
}

/** Late successes arrive while their charges are still queried (48 hours). */
const pass =
  (minMs: number, maxMs = minMs): Happening['come'] =>
  async (world) => {
    if (hasLate(world.books)) await lateSuccesses(world)
    world.service.advance(world.dice.int(minMs, maxMs))
  }

export const happenings = {
  payerDecides: { mayCome: (books) => allWaiting(books).length > 0, come: payerDecides },
  settle: { mayCome: always, come: settleAll },
  lateSuccesses: { mayCome: hasLate, come: lateSuccesses },
  instruct: { mayCome: always, come: instructAll },
  sweepSessions: { mayCome: always, come: sweepSessions },
  sweepCustomers: { mayCome: always, come: sweepCustomers },
  aPayerInsists: insist,
  keepHouse: { mayCome: always, come: ({ service }) => service.keepHouse() },
  anHourPasses: { mayCome: always, come: pass(HOUR_MS) },
  aDayPasses: { mayCome: always, come: pass(DAY_MS, DAY_MS + HOUR_MS) },
  aSeasonPasses: { mayCome: always, come: pass(60 * DAY_MS, 200 * DAY_MS) },
} as const satisfies Record<string, Happening>

/** Runs until no work is left. */
export async function comeToRest(world: World): Promise<void> {
  const { books, service } = world
  for (const { intent, charge, nth } of allWaiting(books)) {
    await service.decide(intent.id, nth, 'approve')
    decide(charge, 'approve')
  }
  await lateSuccesses(world)
  await settleAll(world)
  // A refund that is sent last is queried in the following rounds, three times if its refusal was unproven.
  for (let rounds = 0; rounds < 4; rounds += 1) await instructAll(world)
  await service.keepHouse()
}
