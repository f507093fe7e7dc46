import { describe, expect, test } from 'vitest'
import { isOfLock, isOfStatement, isOfWaiting, runBatch, runBatchOfOwners } from './run-batch.ts'

const failure = (code: string) => Object.assign(new Error(code), { code })

/** Refuses every statement that contains such an item, with the item's code. */
function store(refused: Readonly<Record<string, string>>) {
  const statements: string[] = []
  const write = (items: readonly string[]) => {
    statements.push(items.join(' '))
    const code = items.map((item) => refused[item]).find((found) => found !== undefined)
    return code === undefined
      ? Promise.resolve(items.map((item) => `${item} written`))
      : Promise.reject(failure(code))
  }
  const onRefused = (item: string, error: unknown) =>
    Promise.resolve(`${item} refused ${(error as { code: string }).code}`)
  return {
    statements,
    run: (items: readonly string[]) => runBatch(items, { write, onRefused }),
    runOfOwners: (items: readonly string[]) =>
      runBatchOfOwners(items, ([owner = '']) => owner, { write, onRefused }),
  }
}

describe('a batch', () => {
  test('is one statement', async () => {
    const { run, statements } = store({})
    expect(await run(['a', 'b'])).toEqual(['a written', 'b written'])
    expect(statements).toEqual(['a b'])
  })

  test('without items is none', async () => {
    const { run, statements } = store({})
    expect(await run([])).toEqual([])
    expect(statements).toEqual([])
  })

  test.each(['22003', '23514', 'P0001', '40P01', '40001', '55P03', '57014', '42883'])(
    'that is refused with %s is tried in halves, and all but the one item are written',
    async (code) => {
      const { run, statements } = store({ b: code })
      expect(await run(['a', 'b', 'c'])).toEqual(['a written', `b refused ${code}`, 'c written'])
      expect(statements).toEqual(['a b c', 'a b', 'a', 'b', 'c'])
    },
  )

  test.each(['08006', '57P01', '53300', '25006', 'ECONNRESET'])(
    'that meets %s blames no item: the database is away',
    async (code) => {
      const { run, statements } = store({ a: code })
      await expect(run(['a', 'b'])).rejects.toMatchObject({ code })
      expect(statements).toEqual(['a b'])
    },
  )
})

describe('a batch of several owners', () => {
  test('is one statement', async () => {
    const { runOfOwners, statements } = store({})
    expect(await runOfOwners(['a1', 'b1'])).toEqual(['a1 written', 'b1 written'])
    expect(statements).toEqual(['a1 b1'])
  })

  test('that waits for one of them writes all others before it tries that one’s items in halves', async () => {
    const { runOfOwners, statements } = store({ a1: '55P03', a2: '55P03' })
    expect(await runOfOwners(['a1', 'b1', 'a2', 'c1', 'b2'])).toEqual([
      'a1 refused 55P03',
      'b1 written',
      'a2 refused 55P03',
      'c1 written',
      'b2 written',
    ])
    expect(statements).toEqual(['a1 b1 a2 c1 b2', 'a1 a2', 'b1 b2', 'c1', 'a1 a2', 'a1', 'a2'])
  })

  test('blames no item if the database is away', async () => {
    const { runOfOwners } = store({ a1: '08006' })
    await expect(runOfOwners(['a1', 'b1'])).rejects.toMatchObject({ code: '08006' })
  })
})

test('an error without a code tells of no statement', () => {
  expect(isOfStatement(new Error('anything'))).toBe(false)
})

test.each([
  ['40P01', true, true],
  ['40001', true, true],
  ['55P03', true, true],
  ['57014', false, true],
  ['22003', false, false],
  ['23514', false, false],
  ['57P01', false, false],
])('%s is of a lock: %s, of waiting: %s', (code, ofLock, ofWaiting) => {
  expect(isOfLock(failure(code))).toBe(ofLock)
  expect(isOfWaiting(failure(code))).toBe(ofWaiting)
})
