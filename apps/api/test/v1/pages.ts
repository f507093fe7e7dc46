import { expect, test } from 'vitest'
import type { Replica } from '../harness.ts'
import '../matchers.ts'

type Direction = 'starting_after' | 'ending_before'

const PAGES_MAX = 100

/** Reads pages like auto-paginating clients, from the newest object or from before the oldest. */
export async function walk(
  api: Replica,
  path: string,
  size: number,
  direction: Direction,
  merchant = 'acme',
): Promise<unknown[]> {
  const seen: { id: string }[] = []
  let cursor = direction === 'ending_before' ? await oldestOf(api, path, merchant) : undefined
  if (cursor !== undefined) seen.push(cursor)
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const query = `${path.includes('?') ? '' : '?'}limit=${size}${cursor === undefined ? '' : `&${direction}=${cursor.id}`}`
    const answer = await api.call({ path: `${path}${query}`, merchant })
    expect(answer).toMatchObject({ status: 200 })
    const { body } = answer
    const shown: { id: string }[] = direction === 'ending_before' ? body.data.toReversed() : body.data
    seen.push(...shown)
    cursor = shown.at(-1)
    if (!body.has_more) return seen
  }
  throw new Error('the list did not end')
}

async function oldestOf(api: Replica, path: string, merchant: string): Promise<{ id: string } | undefined> {
  const { body } = await api.call({ path: `${path}${path.includes('?') ? '' : '?'}limit=100`, merchant })
  expect(body.has_more).toBe(false)
  return body.data.at(-1)
}

/** Faults of each paging parameter: the name, the query, and the parameter in the refusal. */
function pageFaults(known: () => string): [string, () => string, string][] {
  const limits = [
    '0',
    '00',
    '01',
    '-1',
    '-0',
    '%2B5',
    '+5',
    '5+',
    '1.0',
    '1e1',
    '0x5',
    '101',
    '1000000000',
    '10abc',
  ]
  const more = ['', 'abc', 'NaN', '%D9%A3', '5%00', '5%0A', 'null', '[]', '%zz', '%FF']
  const wrongIds: [string, (id: string) => string][] = [
    ['nothing', () => ''],
    ['a word', () => 'x'],
    ['an id of another kind', (id) => id.replace(/^[^_]+/, id.startsWith('cus_') ? 'pi' : 'cus')],
    ['upper case', (id) => id.toUpperCase()],
    ['a digit too few', (id) => id.slice(0, -1)],
    ['a digit too many', (id) => `${id}0`],
    ['a NUL', (id) => `${id}%00`],
    ['a line end', (id) => `${id}%0A`],
    ['SQL', () => '%27%3B--'],
    ['a broken escape', () => '%zz'],
  ]
  const cursors: Direction[] = ['starting_after', 'ending_before']
  return [
    ...[...limits, ...more].map((limit): [string, () => string, string] => [
      `limit=${limit}`,
      () => `?limit=${limit}`,
      'limit',
    ]),
    ['limit twice', () => '?limit=1&limit=1', 'limit'],
    ['limit as a list', () => '?limit[]=1', 'limit'],
    ['limit as a map', () => '?limit[a]=1', 'limit'],
    ...cursors.flatMap((cursor) => [
      ...wrongIds.map(([name, of]): [string, () => string, string] => [
        `${cursor}: ${name}`,
        () => `?${cursor}=${of(known())}`,
        cursor,
      ]),
      [`${cursor} twice`, () => `?${cursor}=${known()}&${cursor}=${known()}`, cursor] as [
        string,
        () => string,
        string,
      ],
      [`${cursor} as a list`, () => `?${cursor}[]=${known()}`, cursor] as [string, () => string, string],
    ]),
    ['both cursors', () => `?starting_after=${known()}&ending_before=${known()}`, 'ending_before'],
    ['an unknown filter', () => '?foo=1', 'foo'],
    ['a prototype key', () => '?__proto__[limit]=1', '__proto__'],
  ]
}

interface Row {
  readonly id: string
}

/** @param rows all rows of the list, newest first: seven at least */
export function testPages(
  api: Replica,
  path: string,
  rows: () => readonly Row[],
  sizes: readonly number[],
): void {
  const shown = async (query: string) => {
    const { body } = await api.call({ path: `${path}?${query}` })
    return { data: body.data, hasMore: body.has_more }
  }
  const page = (from: number, to: number | undefined, hasMore: boolean) => ({
    data: rows().slice(from, to),
    hasMore,
  })
  const idOf = (n: number) => rows().at(n)?.id ?? ''

  test('limit shows so many rows', async () => {
    const { length } = rows()
    expect(await shown('limit=1')).toEqual(page(0, 1, true))
    expect(await shown(`limit=${length - 1}`)).toEqual(page(0, -1, true))
    expect(await shown(`limit=${length}`)).toEqual(page(0, undefined, false))
    expect(await shown('limit=100')).toEqual(page(0, undefined, false))
  })

  test('starting_after shows the next older rows', async () => {
    expect(await shown(`limit=3&starting_after=${idOf(1)}`)).toEqual(page(2, 5, true))
    expect(await shown(`limit=3&starting_after=${idOf(-4)}`)).toEqual(page(-3, undefined, false))
    expect(await shown(`limit=3&starting_after=${idOf(-1)}`)).toEqual(page(0, 0, false))
  })

  test('ending_before shows the next newer rows, newest first, and has_more is about newer ones', async () => {
    expect(await shown(`limit=3&ending_before=${idOf(-1)}`)).toEqual(page(-4, -1, true))
    expect(await shown(`limit=3&ending_before=${idOf(3)}`)).toEqual(page(0, 3, false))
    expect(await shown(`limit=3&ending_before=${idOf(2)}`)).toEqual(page(0, 2, false))
    expect(await shown(`limit=3&ending_before=${idOf(0)}`)).toEqual(page(0, 0, false))
  })

  test.each(sizes)('pages of %i cover the list exactly once, in both directions', async (size) => {
    expect(await walk(api, path, size, 'starting_after')).toEqual(rows())
    expect(await walk(api, path, size, 'ending_before')).toEqual(rows().toReversed())
  })
}

interface Refused {
  /** Filters that the list has, with faulty values, and the parameter that each refusal names. */
  readonly faults?: readonly (readonly [filter: string, param: string])[]
  /** Filters that the list does not have. */
  readonly unknown: readonly string[]
}

/** @param known the id of a row of the list */
export function testRefusedQueries(
  api: Replica,
  path: string,
  known: () => string,
  { faults = [], unknown }: Refused,
): void {
  const list = (query: string) => api.call({ path: `${path}${query}` })

  test.each(pageFaults(known))('%s is refused by name', async (_, query, param) => {
    expect(await list(query())).toBeRefusal('invalid_request', param)
  })

  test.each(faults)('the filter %s is refused by name', async (filter, param) => {
    expect(await list(`?${filter}`)).toBeRefusal('invalid_request', param)
  })

  test.each(unknown)(
    'the unknown filter %s is refused, since to ignore it would answer another question',
    async (filter) => {
      expect(await list(`?${filter}`)).toBeRefusal('invalid_request', filter.replace(/[[=].*/, ''))
    },
  )
}
