import type { EventType } from '@merchant-payments/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DeliveryId, type EventId, idOf, type MerchantId } from '../src/base/ids.ts'
import { type DeliveryFilter, listDeliveryRows } from '../src/deliveries/staff/store.ts'
import { listEventRows } from '../src/events/staff/store.ts'
import { listEventBodies } from '../src/events/store.ts'
import type { Page } from '../src/pages/page.ts'
import { parseStaffPage, type StaffPage } from '../src/pages/staff/page.ts'
import { T0 } from './make.ts'
import { openWorld } from './world.ts'

// Lists of events and deliveries are read along other indexes for each filter. Every walk must find the same rows in the
// same order as a search through all of them.

interface Delivery {
  readonly merchant: string
  readonly endpoint: string
  readonly event: string
  readonly id: string
  readonly status: 'pending' | 'succeeded' | 'exhausted'
  readonly isDead: boolean
  readonly type: EventType
  readonly atMs: number
}

const MERCHANTS = ['m0', 'm1', 'm2']
const ENDPOINTS = ['main', 'second']
const TYPES = ['payment_intent.succeeded', 'invoice.paid'] as const
const STATUSES = ['pending', 'succeeded', 'exhausted'] as const
const EVENTS = 90
const PAGE = 7

const uuidAt = (atMs: number, n: number) =>
  `${atMs.toString(16).padStart(12, '0')}7000a${n.toString(16).padStart(15, '0')}`

const events = Array.from({ length: EVENTS }, (_, n) => {
  // A third is older than the month to which pages of all merchants look first.
  const atMs = T0 - (EVENTS - n) * 1_000 - (n < EVENTS / 3 ? 40 * 86_400_000 : 0)
  return {
    merchant: MERCHANTS[(n * 7) % 3] ?? '',
    uuid: uuidAt(atMs, n),
    type: TYPES[n % 5 === 0 ? 1 : 0] ?? TYPES[0],
    // Neighbours of a merchant have changed their places: the one that was minted later was committed first.
    position: 1 + (n % 6 < 3 ? n + 3 : n - 3),
    atMs,
  }
})

const deliveries: Delivery[] = events.flatMap(({ merchant, uuid, type, atMs }, n) =>
  ENDPOINTS.slice(0, 1 + (n % 2)).map((endpoint, m) => {
    // Each tenth event is fanned out much later than those after it.
    const fannedOutMs = atMs + (n % 10 === 3 ? 20_500 : 300)
    const status = STATUSES[(n + m) % 3] ?? 'pending'
    return {
      merchant,
      endpoint,
      event: uuid,
      id: uuidAt(fannedOutMs, 2 * n + m),
      status,
      isDead: status === 'pending' && n % 4 === 0,
      type,
      atMs: fannedOutMs,
    }
  }),
)

const world = await openWorld()
beforeAll(async () => {
  const run = (name: string, rows: unknown, statement: string) =>
    sql`${sql.raw(statement.replace(':rows', `jsonb_to_recordset($rows$${JSON.stringify(rows)}$rows$::jsonb) r (${name})`))}`.execute(
      world.owner.writer,
    )
  await run(
    'merchant text, uuid uuid, type text, position bigint',
    events,
    `insert into events (merchant_id, id, type, body, position) select merchant, uuid, type, uuid, position from :rows`,
  )
  await run(
    'merchant text',
    MERCHANTS.map((merchant) => ({ merchant })),
    `insert into event_counters (merchant_id, last_position) select merchant, ${EVENTS + 3} from :rows`,
  )
  const ofDelivery =
    'merchant text, event uuid, endpoint text, id uuid, status text, "isDead" boolean, "atMs" bigint'
  await run(
    ofDelivery,
    deliveries,
    `insert into deliveries (merchant_id, event_id, endpoint_id, id, status, created_at, finished_at)
      select merchant, event, endpoint, id, status, to_timestamp("atMs" / 1000.0),
        case status when 'pending' then null else to_timestamp("atMs" / 1000.0) end from :rows`,
  )
  await run(
    ofDelivery,
    deliveries.filter(({ status }) => status === 'pending'),
    `insert into delivery_jobs (delivery_id, merchant_id, event_id, endpoint_id, due_at, dead_at)
      select id, merchant, event, endpoint, to_timestamp("atMs" / 1000.0),
        case when "isDead" then to_timestamp("atMs" / 1000.0) end from :rows`,
  )
})
afterAll(() => world.stop())

/** All pages of a list, one after the other. */
async function readAll<Row extends { readonly id: string }>(
  list: (page: StaffPage) => Promise<Page<Row>>,
  query: object,
  prefix: 'wd' | 'evt',
): Promise<string[]> {
  const ids: string[] = []
  for (let after: string | undefined; ids.length < 2 * deliveries.length; ) {
    const { items, hasMore } = await list(
      parseStaffPage({ limit: PAGE, ...query, ...(after !== undefined && { starting_after: after }) }),
    )
    ids.push(...items.map(({ id }) => id.replaceAll('-', '')))
    const last = items.at(-1)
    if (!hasMore) return ids
    if (last === undefined) throw new Error('an empty page has more')
    after = idOf(prefix, last.id)
  }
  throw new Error('the pages have no end')
}

/** Times within which a list is asked for, in seconds from the newest event. */
const times = [undefined, { fromSec: T0 / 1_000 - 60, untilSec: T0 / 1_000 - 20 }]
const isWithin = (atMs: number, created: (typeof times)[number]) =>
  created === undefined || (atMs >= created.fromSec * 1_000 && atMs < created.untilSec * 1_000)
const inOrder = (ids: string[], order: string) =>
  order === 'newest' ? ids.toSorted().toReversed() : ids.toSorted()

/** Every combination of these values. */
const combinationsOf = <T extends object>(
  values: {
    readonly [Key in keyof T]: readonly T[Key][]
  },
): T[] =>
  Object.entries<readonly unknown[]>(values).reduce<object[]>(
    (some, [name, each]) => some.flatMap((one) => each.map((value) => ({ ...one, [name]: value }))),
    [{}],
  ) as T[]

interface Asked {
  readonly merchant: string | undefined
  readonly created: (typeof times)[number]
  readonly order: 'newest' | 'oldest'
}

const asked = {
  merchant: [undefined, 'm1'],
  created: times,
  order: ['newest', 'oldest'],
} as const

describe('the events of a merchant, for itself', () => {
  test.each([
    ['any type', null],
    ['a type', ['payment_intent.succeeded'] as const],
  ])('of %s and a time are those of the time, in the order of their positions', async (_, types) => {
    for (const { merchant, created, order } of combinationsOf<Asked>({ ...asked, merchant: ['m0', 'm1'] })) {
      const page = { limit: 100, startingAfter: null, endingBefore: null, created: created ?? null }
      const before = order === 'newest' ? page : { ...page, endingBefore: idOf('evt', '0'.repeat(32)) }
      const { found } = await listEventBodies(world.db.reader, merchant as MerchantId, before, { types })
      const wanted = events
        .filter(
          (event) =>
            event.merchant === merchant &&
            isWithin(event.atMs, created) &&
            (types === null || event.type === 'payment_intent.succeeded'),
        )
        .toSorted((a, b) => b.position - a.position)
      expect(wanted).not.toEqual([])
      expect(found.items.map((uuid) => uuid.replaceAll('-', ''))).toEqual(wanted.map(({ uuid }) => uuid))
    }
  })
})

describe('the deliveries', () => {
  const statuses = [null, 'pending', 'succeeded', 'exhausted', 'dead_lettered'] as const
  const event = idOf('evt', events[11]?.uuid ?? '')
  const filters = combinationsOf<DeliveryFilter>({
    status: statuses,
    endpoint: [null, 'second'],
    eventId: [null, event],
    eventType: [null, 'invoice.paid'],
  })

  test.each(filters)('with %o are those of a search through all', async (filter) => {
    const fits = ({ status, isDead, endpoint, event: uuid, type }: Delivery) =>
      (filter.status === null || filter.status === (isDead ? 'dead_lettered' : status)) &&
      (filter.endpoint === null || filter.endpoint === endpoint) &&
      (filter.eventId === null || filter.eventId === idOf('evt', uuid)) &&
      (filter.eventType === null || filter.eventType === type)
    for (const { merchant, created, order } of combinationsOf<Asked>(asked)) {
      const found = await readAll(
        (page) => listDeliveryRows(world.db.reader, page, filter),
        { merchant, created, order },
        'wd',
      )
      const wanted = deliveries.filter(
        (delivery) =>
          fits(delivery) &&
          (merchant === undefined || delivery.merchant === merchant) &&
          isWithin(delivery.atMs, created),
      )
      expect(found).toEqual(
        inOrder(
          wanted.map(({ id }) => id),
          order,
        ),
      )
    }
  })

  test('before a cursor are those next to it', async () => {
    const newest = inOrder(
      deliveries.map(({ id }) => id),
      'newest',
    )
    const cursor = idOf('wd', newest[20] ?? '') satisfies DeliveryId
    const page = parseStaffPage({ limit: 3, ending_before: cursor })
    const { items } = await listDeliveryRows(world.db.reader, page, {
      status: null,
      endpoint: null,
      eventId: null,
      eventType: null,
    })
    expect(items.map(({ id }) => id.replaceAll('-', ''))).toEqual(newest.slice(17, 20))
  })
})

describe('the events', () => {
  test.each([null, ...TYPES, 'customer.deleted' as const])(
    'of the type %s are those of a search through all, though their positions have another order',
    async (type) => {
      for (const { merchant, created, order } of combinationsOf<Asked>(asked)) {
        const found = await readAll(
          (page) => listEventRows(world.db.reader, page, type, T0),
          { merchant, created, order },
          'evt',
        )
        const wanted = events.filter(
          (event) =>
            (type === null || event.type === type) &&
            (merchant === undefined || event.merchant === (merchant as MerchantId)) &&
            isWithin(event.atMs, created),
        )
        expect(found).toEqual(
          inOrder(
            wanted.map(({ uuid }) => uuid),
            order,
          ),
        )
      }
    },
  )

  test('before a cursor, of a type, are those next to it', async () => {
    const newest = inOrder(
      events.filter(({ type }) => type === 'payment_intent.succeeded').map(({ uuid }) => uuid),
      'newest',
    )
    const cursor = idOf('evt', newest[20] ?? '') satisfies EventId
    const page = parseStaffPage({ limit: 3, ending_before: cursor })
    const { items } = await listEventRows(world.db.reader, page, 'payment_intent.succeeded', T0)
    expect(items.map(({ id }) => id.replaceAll('-', ''))).toEqual(newest.slice(17, 20))
  })
})
