import type { Event } from '@merchant-payments/contract'
import { holdTransaction } from '@merchant-payments/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestApi } from '../../harness.ts'
import { insertEvent } from '../../rows.ts'
import { cancelCall, canceledIntent, createIntent } from '../../steps.ts'
import { createdFaults, createdFilters, filteredPages, keptPages } from '../filters.ts'
import { testPages, testRefusedQueries, walk } from '../pages.ts'

const api = await startTestApi()
afterAll(() => api.stop())

const COUNT = 23
/** Newest first, as in a list. */
const canceled: { id: string }[] = []
let events: Event[] = []
const idOf = (n: number) => events.at(n)?.id ?? ''

beforeAll(async () => {
  for (let n = 0; n < COUNT; n += 1) {
    canceled.unshift(await canceledIntent(api))
    if (n % 2 === 0) api.advance(1_000)
  }
  events = (await list('?limit=100')).body.data
  const { id } = await createIntent(api, '', { merchant: 'globex' })
  await api.call(cancelCall(id, { merchant: 'globex' }))
})

const list = (query = '', merchant = 'acme') => api.call({ path: `/v1/events${query}`, merchant })
const page = (from: number, to: number, hasMore: boolean) => ({
  object: 'list',
  url: '/v1/events',
  has_more: hasMore,
  data: events.slice(from, to),
})

describe('200', () => {
  test('each event has six keys, and its object is the intent after its transition [§2.3]', async () => {
    const answer = await list('?limit=100')
    expect(answer.status).toBe(200)
    expect(answer).toHaveRequestId()
    expect(answer.body).toEqual({
      object: 'list',
      url: '/v1/events',
      has_more: false,
      data: canceled.map((intent) => ({
        id: expect.stringMatching(/^evt_[0-9a-f]{32}$/),
        object: 'event',
        type: 'payment_intent.canceled',
        created: expect.any(Number),
        livemode: false,
        data: { object: intent },
      })),
    })
    expect(answer.text).not.toContain('secret')
  })

  test('ten events, newest first [§2.1]', async () => {
    expect((await list()).body).toEqual(page(0, 10, true))
  })

  describe('pages [§2.1]', () => {
    testPages(api, '/v1/events', () => events, [1, 2, 7, 23])
  })

  test('a foreign cursor shows only the caller’s own events', async () => {
    for (const cursor of ['starting_after', 'ending_before']) {
      const answer = await list(`?limit=100&${cursor}=${idOf(5)}`, 'globex')
      expect(answer.status).toBe(200)
      expect(answer.text).not.toContain(idOf(4))
      expect(answer.text).not.toContain(idOf(6))
    }
  })

  test.each([
    ['whose event was dropped with its partition', 'evt_00000000000070008000000000000000'],
    ['of zeros, which no event has', `evt_${'0'.repeat(32)}`],
  ])('a cursor %s counts as older than all others', async (_what, gone) => {
    expect((await list(`?limit=100&ending_before=${gone}`)).body).toEqual(page(0, COUNT, false))
    expect((await list(`?starting_after=${gone}`)).body).toEqual(page(0, 0, false))
  })

  test('a merchant without events has an empty list', async () => {
    expect((await list('', 'nobody')).body).toEqual(page(0, 0, false))
  })

  test.each([
    ['type=payment_intent.canceled', true],
    ['type=payment_intent.*', true],
    ['types[]=invoice.paid&types[]=payment_intent.canceled', true],
    ['types[3]=payment_intent.canceled', true],
    ['types[]=payment_intent.canceled&types[]=payment_intent.*', true],
    ['type=payment_intent.succeeded', false],
    ['type=invoice.*', false],
    ['type=*', false],
    ['type=payment_intent', false],
    ['type=charge.dispute.created', false],
    ['types[]=invoice.paid&types[]=charge.dispute.created', false],
  ])('%s shows events of a matching type: %s', async (filter, shown) => {
    const all = shown ? events.slice(0, 10) : []
    expect((await list(`?${filter}`)).body).toEqual({ ...page(0, 10, shown), data: all })
  })

  test('a filter applies to every page, in both directions', async () => {
    const filter = 'type=payment_intent.canceled&created[gte]=1&'
    expect(await walk(api, `/v1/events?${filter}`, 7, 'starting_after')).toEqual(events)
    expect(await walk(api, `/v1/events?${filter}`, 7, 'ending_before')).toEqual(events.toReversed())
  })

  test('created shows the events of a second, or those between bounds', async () => {
    const filters = createdFilters(events[11]?.created ?? 0)
    expect(await filteredPages(api, '/v1/events', filters)).toEqual(keptPages(filters, events))
  })

  test('expand is ignored', async () => {
    expect((await list('?expand[]=data.object')).body).toEqual(page(0, 10, true))
  })
})

describe('400', () => {
  const one = 'type=invoice.paid'
  testRefusedQueries(api, '/v1/events', () => idOf(0), {
    faults: [
      [`${one}&types[]=invoice.paid`, 'types'],
      ['type=', 'type'],
      ['type[]=invoice.paid', 'type'],
      ['types=invoice.paid', 'types'],
      ['types[a]=invoice.paid', 'types'],
      ['types[0][x]=invoice.paid', 'types[0]'],
      [Array.from({ length: 21 }, () => 'types[]=invoice.paid').join('&'), 'types'],
      ...createdFaults,
    ],
    unknown: ['delivery_success=true', 'page=2', 'account=acct_1'],
  })
})

describe('a reader that follows the list by ending_before', () => {
  const poll = async (cursor: string, merchant: string): Promise<string[]> => {
    const { body } = await list(`?limit=100&ending_before=${cursor}`, merchant)
    expect(body.has_more).toBe(false)
    return body.data.map(({ id }: Event) => id).reverse()
  }
  const cancelOne = async (merchant: string) => {
    const { id } = await createIntent(api, '', { merchant })
    await api.call(cancelCall(id, { merchant }))
  }
  const newestOf = async (merchant: string): Promise<string> =>
    (await list('?limit=1', merchant)).body.data[0].id

  test('sees each event at once', async () => {
    await cancelOne('prompt')
    let cursor = await newestOf('prompt')
    for (let n = 0; n < 10; n += 1) {
      await cancelOne('prompt')
      const seen = await poll(cursor, 'prompt')
      expect(seen).toHaveLength(1)
      cursor = seen[0] ?? ''
    }
  })

  test('never misses an event whose transaction commits late, because later events wait for it [§6.3.9]', async () => {
    await cancelOne('late')
    const cursor = await newestOf('late')
    const late = await openEvent('late')
    const after = cancelOne('late')
    expect(await poll(cursor, 'late')).toEqual([])
    await late.commit()
    await after
    const seen = await poll(cursor, 'late')
    expect(seen).toHaveLength(2)
    expect(seen[0]).toBe(late.id)
  })

  test('sees each event at once, whatever transactions other merchants still run', async () => {
    await cancelOne('prompt-one')
    const cursor = await newestOf('prompt-one')
    const stranger = await openEvent('stranger')
    await cancelOne('prompt-one')
    expect(await poll(cursor, 'prompt-one')).toHaveLength(1)
    await stranger.commit()
  })

  /** An event that another process has written but not committed yet. */
  async function openEvent(merchant: string) {
    let id = ''
    const commit = await holdTransaction(api.db, async (tx) => {
      id = await insertEvent(tx, merchant, api.clock())
    })
    return { id, commit }
  }

  test('is not delayed by readers, however long they run', async () => {
    await cancelOne('read')
    const cursor = await newestOf('read')
    const stop = await holdTransaction(api.db, (tx) =>
      tx.selectFrom('events').select('id').limit(1).execute(),
    )
    await cancelOne('read')
    expect(await poll(cursor, 'read')).toHaveLength(1)
    await stop()
  })

  test('sees the events of forty concurrent writers, each once', async () => {
    await cancelOne('many')
    let cursor = await newestOf('many')
    const intents = await Promise.all(
      Array.from({ length: 40 }, () => createIntent(api, '', { merchant: 'many' })),
    )
    const seen: string[] = []
    let isWriting = true
    const writing = Promise.all(intents.map(({ id }) => api.call(cancelCall(id, { merchant: 'many' })))).then(
      () => {
        isWriting = false
      },
    )
    for (let last = false; !last; ) {
      last = !isWriting
      const fresh = await poll(cursor, 'many')
      seen.push(...fresh)
      cursor = fresh.at(-1) ?? cursor
    }
    await writing
    expect(seen).toHaveLength(40)
    expect(new Set(seen).size).toBe(40)
  })
})
