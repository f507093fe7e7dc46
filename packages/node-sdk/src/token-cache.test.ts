import { describe, expect, test } from 'vitest'
import { createTokenCache, type StoredToken, type TokenStore } from './token-cache.ts'

/** A cache whose mint and clock the test controls. */
function setUp(store?: TokenStore) {
  const time = { nowMs: 0 }
  const mints: PromiseWithResolvers<StoredToken>[] = []
  const cache = createTokenCache({
    mint: () => {
      const mint = Promise.withResolvers<StoredToken>()
      mints.push(mint)
      return mint.promise
    },
    clock: () => time.nowMs,
    store,
    storeKey: 'issuer client scope',
  })
  const settle = (index: number, token: StoredToken) => mints[index]?.resolve(token)
  const fail = (index: number) => mints[index]?.reject(new Error('the token endpoint is down'))
  return { cache, time, mints, settle, fail }
}

const token = (accessToken: string, mintedAtMs = 0): StoredToken => ({
  accessToken,
  refreshAtMs: mintedAtMs + 600_000,
  expiresAtMs: mintedAtMs + 870_000,
})

async function withToken(store?: TokenStore) {
  const setup = setUp(store)
  const first = setup.cache.get()
  await turn()
  setup.settle(0, token('one'))
  expect(await first).toBe('one')
  return setup
}

/** Lets all settled promises run their callbacks. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the token cache', () => {
  test('requests one token for 100 concurrent calls', async () => {
    const { cache, mints, settle } = setUp()
    const calls = Array.from({ length: 100 }, () => cache.get())
    await turn()
    settle(0, token('one'))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['one']))
    expect(mints).toHaveLength(1)
  })

  test('serves the token while one refresh runs in the background [§5.4]', async () => {
    const { cache, time, mints, settle } = await withToken()
    time.nowMs = 599_999
    expect(await cache.get()).toBe('one')
    await turn()
    expect(mints).toHaveLength(1)
    time.nowMs = 600_000
    expect([await cache.get(), await cache.get()]).toEqual(['one', 'one'])
    await turn()
    expect(mints).toHaveLength(2)
    settle(1, token('two', 600_000))
    await turn()
    expect(await cache.get()).toBe('two')
  })

  test('serves no token after 870 s, but joins the running refresh [§5.4]', async () => {
    const { cache, time, mints, settle } = await withToken()
    time.nowMs = 869_999
    expect(await cache.get()).toBe('one')
    time.nowMs = 870_000
    const waiting = cache.get()
    await turn()
    settle(1, token('two', 870_000))
    expect(await waiting).toBe('two')
    expect(mints).toHaveLength(2)
  })

  test('pauses 30 s after a failed background refresh', async () => {
    const { cache, time, mints, fail } = await withToken()
    time.nowMs = 600_000
    await cache.get()
    await turn()
    fail(1)
    await turn()
    time.nowMs = 629_999
    expect(await cache.get()).toBe('one')
    await turn()
    expect(mints).toHaveLength(2)
    time.nowMs = 630_000
    expect(await cache.get()).toBe('one')
    await turn()
    expect(mints).toHaveLength(3)
  })

  test('a failed token request fails its callers and is not cached', async () => {
    const { cache, mints, settle, fail } = setUp()
    const calls = Promise.allSettled([cache.get(), cache.get()])
    await turn()
    fail(0)
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const next = cache.get()
    await turn()
    settle(1, token('two'))
    expect(await next).toBe('two')
    expect(mints).toHaveLength(2)
  })

  test('a late 401 of an old token does not drop the newer one', async () => {
    const { cache, mints, settle } = await withToken()
    cache.invalidate('one')
    const next = cache.get()
    await turn()
    settle(1, token('two'))
    expect(await next).toBe('two')
    cache.invalidate('one')
    expect(await cache.get()).toBe('two')
    expect(mints).toHaveLength(2)
  })
})

describe('a token store', () => {
  const memoryStore = (content: Record<string, StoredToken> = {}) => ({
    content,
    get: (key: string) => Promise.resolve(content[key]),
    set: (key: string, value: StoredToken) => {
      content[key] = value
      return Promise.resolve()
    },
  })

  test('stores new tokens, and serves other processes', async () => {
    const store = memoryStore()
    await withToken(store)
    expect(store.content).toEqual({ 'issuer client scope': token('one') })
    const other = setUp(store)
    expect(await other.cache.get()).toBe('one')
    expect(other.mints).toHaveLength(0)
  })

  test('is not asked for the token that was just refused', async () => {
    const store = memoryStore()
    const { cache, mints, settle } = await withToken(store)
    cache.invalidate('one')
    const next = cache.get()
    await turn()
    settle(1, token('two'))
    expect(await next).toBe('two')
    expect(mints).toHaveLength(2)
    expect(store.content).toEqual({ 'issuer client scope': token('two') })
  })

  test('with a token due for refresh counts as empty', async () => {
    const store = memoryStore({ 'issuer client scope': token('old') })
    const { cache, time, settle } = setUp(store)
    time.nowMs = 600_000
    const next = cache.get()
    await turn()
    settle(0, token('two', 600_000))
    expect(await next).toBe('two')
  })

  test.each<[string, TokenStore]>([
    [
      'rejects',
      { get: () => Promise.reject(new Error('down')), set: () => Promise.reject(new Error('down')) },
    ],
    ['throws', { get: () => fault(), set: () => fault() }],
    [
      'holds rubbish',
      { get: () => Promise.resolve(JSON.parse('{"accessToken":7}')), set: () => Promise.resolve() },
    ],
  ])('that %s does not stop payments', async (_how, store) => {
    const { cache } = await withToken(store)
    expect(await cache.get()).toBe('one')
  })

  test('that never answers does not stop payments', async () => {
    const silent = () => new Promise<never>(() => {})
    const { cache, mints, settle } = setUp({ get: silent, set: silent })
    const first = cache.get()
    await expect.poll(() => mints, { timeout: WAIT_MS }).toHaveLength(1)
    settle(0, token('one'))
    expect(await first).toBe('one')
  })
})

const WAIT_MS = 30_000

function fault(): never {
  throw new Error('down')
}
