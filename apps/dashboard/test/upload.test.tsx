import { File } from 'node:buffer'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { upload } from '../src/screens/reconciliation/upload.ts'
import { useDashboard } from './page.ts'
import { envelope } from './staff-api.ts'
import { entryOf, idOf, statementOf } from './wire.ts'

const api = useDashboard()
const id = idOf('st', 1)
const begun = entryOf({ action: 'statement.create', target: id })
const taken = statementOf({ status: 'reading' })
const matched = statementOf({ status: 'matched' })
const busy = () => envelope(503, 'service_unavailable', 'Too many parts.')

const pauses = new Set([1_500, 3_000, 6_000, 10_000, 15_000])
/** The pauses before something is sent again, which take no time here. */
let pausesMs: number[] = []
beforeEach(() => {
  pausesMs = []
  const { setTimeout } = globalThis
  vi.stubGlobal('setTimeout', (run: () => void, ms: number) => {
    if (!pauses.has(ms)) return setTimeout(run, ms)
    pausesMs.push(ms)
    return queueMicrotask(run)
  })
})

const send = (text: string | Uint8Array) =>
  upload({
    file: new File([text], 'statement.csv') as unknown as globalThis.File,
    form: { rail: 'mtn_momo_cm', day: '2026-11-20', reason: 'x' },
    csrfToken: 'csrf-of-omar',
    onProgress: () => undefined,
  })

const parts = () => api.calls.filter(({ path }) => path.endsWith('/lines'))
const numbers = () => parts().map(({ query }) => query['part'])
const linesBefore = () => parts().map(({ query }) => query['lines_before'])
const compares = () => api.calls.filter(({ path }) => path.endsWith('/compare'))

describe('an upload', () => {
  const long = `a,b\n${'1,2\n'.repeat(100_000)}`

  test('cuts no quoted cell, wherever its line breaks are', async () => {
    const rows = Array.from({ length: 30_000 }, (_, n) => `"${n}\n\n5"" pipe\n",a 5" pipe;"x\ny"\n`)
    api.changes = [begun, ...rows.map(() => taken)]
    await send(`a,b\n${rows.join('')}`)
    const texts = parts().map(({ text }) => text)
    expect(texts.length).toBeGreaterThan(2)
    expect(texts.join('')).toBe(`a,b\n${rows.join('')}`)
    for (const text of texts.slice(1)) expect(text).toMatch(/^"\d+\n\n5""/)
  })

  test.each([
    ['a quote that does not end', `a,b\n"${'1,2\n'.repeat(100_000)}`],
    ['lines without quotes', long],
  ])('sends whole lines of a file with %s', async (_, text) => {
    api.changes = [begun, taken, taken, matched]
    await send(text)
    expect(parts().filter((part) => !part.text.endsWith('\n'))).toEqual([])
  })

  test('refuses a line that is too long for a part', async () => {
    api.changes = [begun]
    await expect(send('x'.repeat(400_000))).rejects.toThrow('A line of the file is too long.')
  })

  test.each([
    ['UTF-8', (text: string) => new TextEncoder().encode(text)],
    ['Windows-1252', (text: string) => Uint8Array.from(text, (one) => one.charCodeAt(0))],
  ])('of %s is recognized by its last byte as by its first', async (_, encode) => {
    const text = `a,b\n${'1,2\n'.repeat(40_000)}1,Succès\n`
    api.changes = [begun, taken, matched]
    await send(encode(text))
    expect(
      parts()
        .map((part) => part.text)
        .join(''),
    ).toBe(text)
  })

  test('of two encodings is refused before it replaces anything', async () => {
    const mixed = [...new TextEncoder().encode('1,Succès\n'), 0xe9]
    await expect(send(Uint8Array.from(mixed))).rejects.toThrow(/^The file mixes UTF-8 with another encoding/)
    expect(api.calls).toEqual([])
  })

  test('ends with the number of its parts, and is compared until that is done', async () => {
    api.changes = [begun, taken, taken, statementOf({ status: 'matching' }), matched]
    expect(await send(long)).toBe(id)
    expect(
      parts()
        .map(({ text }) => text)
        .join(''),
    ).toBe(long)
    expect(numbers()).toEqual(['0', '1'])
    const [head = ''] = parts().map(({ text }) => text)
    expect(linesBefore()).toEqual(['0', String(head.split('\n').length - 1)])
    expect(compares().map(({ form }) => form)).toEqual([{ parts: '2' }, { parts: '2' }])
  })

  test('sends a request again that may have come or not, under its key or its number, after a pause', async () => {
    api.changes = ['network_error', begun, busy(), taken, 'network_error', taken, busy(), matched]
    expect(await send(long)).toBe(id)
    expect(numbers()).toEqual(['0', '0', '1', '1'])
    expect(compares()).toHaveLength(2)
    const begins = api.calls.filter(({ path }) => path.endsWith('/statements'))
    expect(new Set(begins.map(({ headers }) => headers.get('idempotency-key'))).size).toBe(1)
    expect(pausesMs).toEqual([1_500, 1_500, 1_500, 1_500])
  })

  test('gives up after some tries, and at once if the service refuses', async () => {
    api.changes = [begun, busy()]
    await expect(send('a,b\n')).rejects.toThrow('Too many parts.')
    expect(parts()).toHaveLength(6)
    expect(pausesMs).toEqual([...pauses])
    api.changes = [begun, envelope(409, 'statement_not_open', 'It takes no more lines.')]
    await expect(send('a,b\n')).rejects.toThrow('It takes no more lines.')
    expect(parts()).toHaveLength(7)
  })
})
