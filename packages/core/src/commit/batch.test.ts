import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { ALONE, batch, WAITING_MAX, WAITING_OF_OWNER_MAX } from './batch.ts'
import { type LockPolicy, skipped } from './lock-policy.ts'

/** The turn in which a statement ends, and the one after it, in which the next statement leaves. */
async function turn(): Promise<void> {
  await nextTurn()
  await nextTurn()
}

interface Statement {
  readonly items: string[]
  readonly ifLocked: LockPolicy
  /** @param lockedItems items whose rows other transactions hold */
  readonly end: (...lockedItems: string[]) => void
  readonly fail: (error: unknown) => void
}

const ownerOf = (item: string): string => item[0] ?? ''

/** A store whose statements end when the test says so. */
function store({
  itemsMax = 3,
  maxBlockMs = 60_000,
  identitiesOf = (item: string): readonly string[] => [ownerOf(item)],
  neverRefused = false,
} = {}) {
  const statements: Statement[] = []
  const write = batch<string, string>({
    write: (items, ifLocked) => {
      const { promise, resolve, reject } = Promise.withResolvers<(string | typeof skipped)[]>()
      const end = (...lockedItems: string[]) =>
        resolve(items.map((item) => (lockedItems.includes(item) ? skipped : `${item} written`)))
      statements.push({ items: [...items], ifLocked, end, fail: reject })
      return promise
    },
    identitiesOf,
    ownerOf,
    itemsMax,
    maxBlockMs,
    neverRefused,
  })
  return { write, statements, sent: () => statements.map(({ items }) => items.join(' ')) }
}

describe('batching', () => {
  test('items of one turn share a statement, and each gets its own result', async () => {
    const { write, statements, sent } = store()
    const results = Promise.all(['a', 'b', 'c'].map(write))
    await turn()
    expect(sent()).toEqual(['a b c'])
    statements[0]?.end()
    expect(await results).toEqual(['a written', 'b written', 'c written'])
  })

  test('items that arrive meanwhile leave together when the statement ends, as many as one takes', async () => {
    const { write, statements, sent } = store()
    void write('a')
    await turn()
    for (const item of ['b', 'c', 'd', 'e']) void write(item)
    await turn()
    expect(sent()).toEqual(['a'])
    statements[0]?.end()
    await turn()
    expect(sent()).toEqual(['a', 'b c d'])
    statements[1]?.end()
    await turn()
    expect(sent()).toEqual(['a', 'b c d', 'e'])
  })

  test('the next statement leaves before the results reach their requests, if as many items wait', async () => {
    const { write, statements, sent } = store()
    const sentWhenAnswered = write('a').then(sent)
    await turn()
    void write('b')
    await turn()
    statements[0]?.end()
    expect(await sentWhenAnswered).toEqual(['a', 'b'])
  })

  test('if fewer wait, the next statement also takes items that arrive in the same turn of the event loop', async () => {
    const { write, statements, sent } = store()
    const first = Promise.all(['a', 'b'].map(write))
    await turn()
    void write('c')
    statements[0]?.end()
    await first
    expect(sent()).toEqual(['a b'])
    void write('d')
    await turn()
    expect(sent()).toEqual(['a b', 'c d'])
  })

  test('two that share one of several identities are never in one statement, and others leave with the first', async () => {
    const { write, statements, sent } = store({ identitiesOf: (item) => item.split('') })
    for (const item of ['ak', 'bk', 'cl']) void write(item)
    await turn()
    expect(sent()).toEqual(['ak cl'])
    statements[0]?.end()
    await turn()
    expect(sent()).toEqual(['ak cl', 'bk'])
  })

  test('two of one identity are never in one statement, and keep their order', async () => {
    const { write, statements, sent } = store()
    for (const item of ['a1', 'a2', 'b1', 'a3']) void write(item)
    await turn()
    expect(sent()).toEqual(['a1 b1'])
    statements[0]?.end()
    await turn()
    statements[1]?.end()
    await turn()
    expect(sent()).toEqual(['a1 b1', 'a2', 'a3'])
  })

  test('after maxBlockMs the next statement starts, and the end of the slow one does not start another', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { write, statements, sent } = store({ maxBlockMs: 50 })
      const slow = write('a')
      await turn()
      void write('b')
      vi.advanceTimersByTime(49)
      expect(sent()).toEqual(['a'])
      vi.advanceTimersByTime(1)
      expect(sent()).toEqual(['a', 'b'])
      void write('c')
      statements[0]?.end()
      expect(await slow).toBe('a written')
      await turn()
      expect(sent()).toEqual(['a', 'b'])
      statements[1]?.end()
      await turn()
      expect(sent()).toEqual(['a', 'b', 'c'])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('an item that a statement skipped because of a locked row', () => {
  test('is retried alone, where it may wait without delaying others', async () => {
    const { write, statements, sent } = store()
    const [waits, goes] = [write('a'), write('b')]
    await turn()
    statements[0]?.end('a')
    expect(await goes).toBe('b written')
    await turn()
    expect(statements.map(({ ifLocked }) => ifLocked)).toEqual(['skip', 'wait'])
    const next = write('c')
    await turn()
    expect(sent()).toEqual(['a b', 'a', 'c'])
    statements[2]?.end()
    expect(await next).toBe('c written')
    statements[1]?.end()
    expect(await waits).toBe('a written')
  })

  test('is retried with a few others at a time, in order and in turn between owners', async () => {
    const { write, statements } = store({ itemsMax: 1 })
    const items = ['a1', 'a2', 'a3', 'a4', 'b1']
    const results = Promise.all(items.map(write))
    for (const _ of items) {
      await turn()
      statements.findLast(({ ifLocked }) => ifLocked === 'skip')?.end(...items)
    }
    await turn()
    const alone = () => statements.filter(({ ifLocked }) => ifLocked === 'wait')
    const triedAlone = () => alone().map(({ items: [item] }) => item)
    const first = ['a1', 'b1', 'a2']
    expect(triedAlone()).toEqual(first)
    expect(first.filter((item) => item.startsWith('a'))).toHaveLength(ALONE.runningOfOwner)
    for (let n = 0; n < items.length; n += 1) {
      alone()[n]?.end()
      await turn()
    }
    expect(triedAlone()).toEqual([...first, 'a3', 'a4'])
    expect(await results).toEqual(items.map((item) => `${item} written`))
  })

  test('is an error if it was alone already', async () => {
    const { write, statements } = store()
    const result = write('a')
    await turn()
    statements[0]?.end('a')
    await turn()
    statements[1]?.end('a')
    await expect(result).rejects.toThrow('the statement skipped its only item')
  })
})

describe('owners', () => {
  test('take turns: one item is not behind all of another owner', async () => {
    const { write, statements, sent } = store({ identitiesOf: (item) => [item] })
    void write('x')
    await turn()
    for (const item of ['a0', 'a1', 'a2', 'a3', 'b', 'c']) void write(item)
    statements[0]?.end()
    await turn()
    statements[1]?.end()
    await turn()
    expect(sent()).toEqual(['x', 'a0 b c', 'a1 a2 a3'])
  })

  test('may have a limited number of items waiting: a further item is refused at once', async () => {
    const { write, statements } = store({ itemsMax: 1 })
    void write('x')
    await turn()
    for (let n = 0; n < WAITING_OF_OWNER_MAX; n += 1) void write(`a${n}`)
    await expect(write('a more')).rejects.toMatchObject({ code: 'service_unavailable' })
    const others = write('b')
    statements[0]?.end()
    await turn()
    statements[1]?.end()
    await turn()
    statements[2]?.end()
    expect(await others).toBe('b written')
  })

  test('share one limit of waiting items', async () => {
    const { write } = store()
    void write('x')
    await turn()
    for (let n = 0; n < WAITING_MAX; n += 1) void write(String.fromCodePoint(0x100 + (n % 1_000)))
    await expect(write('y')).rejects.toMatchObject({ code: 'service_unavailable' })
  })

  test('are not refused with `neverRefused`, however many of their items wait', async () => {
    const { write, statements } = store({
      itemsMax: WAITING_MAX + 2,
      identitiesOf: (item) => [item],
      neverRefused: true,
    })
    const items = Array.from({ length: WAITING_MAX + 2 }, (_, n) => `a${n}`)
    const results = Promise.all(items.map(write))
    await turn()
    statements[0]?.end()
    expect(await results).toEqual(items.map((item) => `${item} written`))
  })
})

describe('a statement that fails', () => {
  const states = ['23514', '22P02', '21000', '40P01', '40001', '55P03', '57014', 'P0001', 'XX001', '58030']

  test.each(states)('of SQLSTATE %s wrote nothing: each item is tried alone', async (code) => {
    const { write, statements, sent } = store()
    const results = Promise.allSettled(['a', 'b', 'c'].map(write))
    await turn()
    statements[0]?.fail(Object.assign(new Error('refused'), { code }))
    await turn()
    expect(sent()).toEqual(['a b c', 'a', 'b', 'c'])
    statements[1]?.end()
    statements[2]?.fail(Object.assign(new Error('refused for b'), { code }))
    statements[3]?.end()
    expect(await results).toMatchObject([
      { value: 'a written' },
      { reason: { message: 'refused for b' } },
      { value: 'c written' },
    ])
  })

  test.each([['57P01'], ['08006'], ['53200'], ['25006'], ['ECONNRESET'], ['EPIPE'], [undefined]])(
    'with %s may have written them: all fail, once',
    async (code) => {
      const { write, statements, sent } = store()
      const results = Promise.allSettled(['a', 'b'].map(write))
      await turn()
      statements[0]?.fail(Object.assign(new Error('lost'), { code }))
      expect((await results).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
      expect(sent()).toEqual(['a b'])
    },
  )

  test('is followed by the next', async () => {
    const { write, statements, sent } = store()
    const lost = write('a').catch(() => 'lost')
    await turn()
    void write('b')
    statements[0]?.fail(new Error('lost'))
    expect(await lost).toBe('lost')
    await turn()
    expect(sent()).toEqual(['a', 'b'])
  })
})
