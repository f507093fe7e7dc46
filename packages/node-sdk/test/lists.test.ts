import { describe, expect, test } from 'vitest'
import { DecodeError, type ListParams, type Page, type PaymentIntent } from '../src/index.ts'
import { type Answer, intent, rejection, type Seen, startApi } from './api-server.ts'

const idOf = (rank: number) => `pi_${String(rank).padStart(32, '0')}`

/** Seven intents, newest first, as the service returns them. */
const ids = [7, 6, 5, 4, 3, 2, 1].map(idOf)

const pageOf =
  (objectsMax: number): Answer =>
  (response, { path }: Seen) => {
    const { searchParams, pathname: url } = new URL(path, 'http://localhost')
    const limit = Math.min(Number(searchParams.get('limit') ?? 10), objectsMax)
    const after = ids.indexOf(searchParams.get('starting_after') ?? '')
    const before = ids.indexOf(searchParams.get('ending_before') ?? '')
    const start = before < 0 ? after + 1 : Math.max(0, before - limit)
    const end = before < 0 ? start + limit : before
    const has_more = before < 0 ? end < ids.length : start > 0
    const data = ids.slice(start, end).map((id) => ({ ...intent, id }))
    response.end(JSON.stringify({ object: 'list', url, has_more, data }))
  }

/** @param objectsMax objects per page, for pages that end before their limit because their objects are large */
const start = (objectsMax = Number.POSITIVE_INFINITY) =>
  startApi({ answers: Array.from({ length: 20 }, () => pageOf(objectsMax)) })

const queriesOf = (requests: readonly Seen[]) => requests.map(({ path }) => path.split('?')[1] ?? '')

async function collect(items: AsyncIterable<{ id: string }>): Promise<string[]> {
  const seen: string[] = []
  for await (const { id } of items) seen.push(id)
  return seen
}

describe('a list', () => {
  test('iterates over all pages, newest first', async () => {
    const { client, requests } = await start()
    expect(await collect(client().paymentIntents.list({ limit: 3 }))).toEqual(ids)
    expect(queriesOf(requests)).toEqual([
      'limit=3',
      `limit=3&starting_after=${idOf(5)}`,
      `limit=3&starting_after=${idOf(2)}`,
    ])
  })

  test('iterates from a cursor towards the newest, oldest first and without gaps', async () => {
    const { client, requests } = await start()
    const list = client().paymentIntents.list({ limit: 2, ending_before: idOf(2) })
    expect(await collect(list)).toEqual([3, 4, 5, 6, 7].map(idOf))
    expect(queriesOf(requests)).toEqual([
      `ending_before=${idOf(2)}&limit=2`,
      `ending_before=${idOf(4)}&limit=2`,
      `ending_before=${idOf(6)}&limit=2`,
    ])
  })

  test.each([1, 2, 3])(
    'with pages that end after %i objects, below their limit, is read completely',
    async (most) => {
      const { client, requests } = await start(most)
      expect(await collect(client().paymentIntents.list({ limit: 100 }))).toEqual(ids)
      const list = client().paymentIntents.list({ limit: 100, ending_before: idOf(1) })
      expect(await collect(list)).toEqual([2, 3, 4, 5, 6, 7].map(idOf))
      expect(requests).toHaveLength(Math.ceil(7 / most) + Math.ceil(6 / most))
      expect(await client().paymentIntents.list({ limit: 100 }).toArray({ limit: 5 })).toHaveLength(5)
    },
  )

  test('sends nothing before it is read, and requests only the pages that are read', async () => {
    const { client, requests } = await start()
    const list = client().paymentIntents.list({ limit: 3 })
    expect(requests).toEqual([])
    for await (const { id } of list) if (id === idOf(5)) break
    expect(requests).toHaveLength(1)
  })

  test('with concurrent next() calls requests each page once', async () => {
    const { client, requests } = await start()
    const reader = client().paymentIntents.list({ limit: 4 })[Symbol.asyncIterator]()
    const results = await Promise.all(Array.from({ length: 8 }, () => reader.next()))
    expect(results.map(({ value }) => (value as { id: string } | undefined)?.id)).toEqual([...ids, undefined])
    expect(requests).toHaveLength(2)
  })

  test('page() returns one page with its response', async () => {
    const { client } = await start()
    const first = await client().paymentIntents.list({ limit: 2 }).page()
    expect(first).toEqual({
      object: 'list',
      url: '/v1/payment_intents',
      has_more: true,
      data: [
        { ...intent, id: idOf(7) },
        { ...intent, id: idOf(6) },
      ],
    })
    expect(first.lastResponse.status).toBe(200)
  })

  test.each([
    ['forwards', {}, [7, 6, 5, 4, 3, 2, 1]],
    ['backwards', { ending_before: idOf(1) }, [4, 3, 2, 7, 6, 5]],
  ])('nextPage() leads through all pages %s, and ends with null', async (_how, params, ranks) => {
    const { client, requests } = await start()
    const seen: string[] = []
    let page: Page<PaymentIntent> | null = await client()
      .paymentIntents.list({ limit: 3, ...params })
      .page()
    for (; page !== null; page = await page.nextPage()) {
      seen.push(...page.data.map(({ id }) => id))
      expect(Object.keys(page)).toEqual(['object', 'url', 'has_more', 'data'])
    }
    expect(seen).toEqual(ranks.map(idOf))
    expect(requests).toHaveLength(Math.ceil(ranks.length / 3))
  })

  test.each([{}, { ending_before: idOf(1) }])(
    'nextPage() leads through all pages if the caller sorts their data %j',
    async (params) => {
      const { client, requests } = await start()
      const seen: string[] = []
      const list = client().paymentIntents.list({ limit: 2, ...params })
      for (let page: Page<PaymentIntent> | null = await list.page(); page !== null; ) {
        seen.push(...page.data.reverse().map(({ id }) => id))
        page.data.length = 0
        page = await page.nextPage()
      }
      const { ending_before } = params as ListParams
      expect(seen.toSorted()).toEqual(ids.filter((id) => id !== ending_before).toSorted())
      expect(requests).toHaveLength(ending_before === undefined ? 4 : 3)
    },
  )

  test('toArray() returns the requested number of objects', async () => {
    const { client, requests } = await start()
    const list = client().paymentIntents.list({ limit: 3 })
    expect((await list.toArray({ limit: 4 })).map(({ id }) => id)).toEqual(ids.slice(0, 4))
    expect((await list.toArray({ limit: 10_000 })).map(({ id }) => id)).toEqual(ids)
    expect(requests).toHaveLength(5)
  })

  test.each([
    [3, 'limit=3'],
    [300, 'limit=100'],
  ])('toArray({ limit: %i }) without a page limit asks for full pages', async (limit, query) => {
    const { client, requests } = await start()
    await client().paymentIntents.list().toArray({ limit })
    expect(queriesOf(requests)).toEqual([query])
  })

  test.each([0, 10_001, 1.5, Number.NaN])('toArray() refuses a limit of %d', async (limit) => {
    const { client, requests } = await start()
    const array = client().paymentIntents.list().toArray({ limit })
    await expect(array).rejects.toThrow(new TypeError('limit must be an integer from 1 to 10000'))
    expect(requests).toEqual([])
  })

  test.each([undefined, null, 5])('toArray(%o) of JavaScript refuses a missing limit', async (given) => {
    const { client } = await start()
    const array = client()
      .paymentIntents.list()
      .toArray(given as never)
    await expect(array).rejects.toThrow(new TypeError('limit must be an integer from 1 to 10000'))
  })

  test('passes the options to every page', async () => {
    const { client, requests } = await start()
    await collect(client().paymentIntents.list({ limit: 4 }, { headers: { 'x-trace': 'abc' } }))
    expect(requests.map(({ headers }) => headers['x-trace'])).toEqual(['abc', 'abc'])
  })

  const list = (has_more: boolean, data: unknown): Answer => ({
    body: { object: 'list', url: '/', has_more, data },
  })

  test.each<[string, Answer[]]>([
    ['claims more without a last object', [list(true, [])]],
    ['does not move on', [list(true, [{ id: idOf(1) }]), list(true, [{ id: idOf(1) }])]],
    ['has objects without ids', [list(true, [{}])]],
    ['is not a list', [{ body: intent }]],
  ])('that %s ends with an error, not in a loop', async (_what, answers) => {
    const { client, requests } = await startApi({ answers })
    expect(await rejection(collect(client().paymentIntents.list()))).toBeInstanceOf(DecodeError)
    expect(requests).toHaveLength(answers.length)
  })
})
