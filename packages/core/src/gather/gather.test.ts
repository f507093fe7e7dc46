import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { gather } from './gather.ts'

/** A store whose statements end when the test says so. */
function store({ itemsMax = 3, patienceMs = 60_000 } = {}) {
  const statements: { items: string[]; end: () => void; fail: (error: unknown) => void }[] = []
  const write = gather<string, string>({
    write: (items) => {
      const { promise, resolve, reject } = Promise.withResolvers<string[]>()
      const end = () => resolve(items.map((item) => `${item} written`))
      statements.push({ items: [...items], end, fail: reject })
      return promise
    },
    identityOf: (item) => item[0] ?? '',
    itemsMax,
    patienceMs,
  })
  return { write, statements, sent: () => statements.map(({ items }) => items.join(' ')) }
}

describe('gathering', () => {
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

  test('a statement that waits long holds back no other, and its end starts none twice', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const { write, statements, sent } = store({ patienceMs: 50 })
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

describe('a statement that fails', () => {
  const states = ['23514', '22P02', '21000', '40P01', '40001', '55P03', '57014']

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

  test.each([['57P01'], ['ECONNRESET'], [undefined]])(
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
