import { describe, expect, test } from 'vitest'
import { Deadline } from './deadline.ts'
import { createTokenCache, type StoredToken, type TokenStore } from './token-cache.ts'

const WAIT_MS = 30_000

/** A cache whose mint and clock the test controls. */
function setUp(store?: TokenStore) {
  const time = { nowMs: 0 }
  const mints: (PromiseWithResolvers<StoredToken> & { readonly signal: AbortSignal })[] = []
  const cache = createTokenCache({
    mint: (signal) => {
      const mint = Promise.withResolvers<StoredToken>()
      signal.addEventListener('abort', () => mint.reject(signal.reason))
      mints.push({ ...mint, signal })
      return mint.promise
    },
    clock: () => time.nowMs,
    store,
    storeKey: 'issuer client scope',
    isEdge: false,
  })
  const settle = (index: number, token: StoredToken) => mints[index]?.resolve(token)
  const fail = (index: number) => mints[index]?.reject(new Error('the token endpoint is down'))
  const get = (limits: { timeoutMs?: number; signal?: AbortSignal } = {}) => {
    const deadline = new Deadline({ timeoutMs: WAIT_MS, ...limits })
    return cache.get(deadline).finally(() => deadline.clear())
  }
  /** A caller that waits for its whole time. */
  const giveUp = () => expect(get({ timeoutMs: 1 })).rejects.toMatchObject({ name: 'TimeoutError' })
  const abort = async () => {
    const caller = new AbortController()
    const call = get({ signal: caller.signal })
    await turn()
    caller.abort()
    await expect(call).rejects.toMatchObject({ name: 'AbortError' })
  }
  return { cache, get, giveUp, abort, time, mints, settle, fail }
}

const token = (accessToken: string, mintedAtMs = 0): StoredToken => ({
  accessToken,
  refreshAtMs: mintedAtMs + 600_000,
  expiresAtMs: mintedAtMs + 870_000,
})

async function withToken(store?: TokenStore) {
  const setup = setUp(store)
  const first = setup.get()
  await turn()
  setup.settle(0, token('one'))
  expect(await first).toBe('one')
  return setup
}

/** Lets all settled promises run their callbacks. */
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('the token cache', () => {
  test('requests one token for 100 concurrent calls', async () => {
    const { get, mints, settle } = setUp()
    const calls = Array.from({ length: 100 }, () => get())
    await turn()
    settle(0, token('one'))
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['one']))
    expect(mints).toHaveLength(1)
  })

  test('serves the token while one refresh runs in the background [§5.4]', async () => {
    const { get, time, mints, settle } = await withToken()
    time.nowMs = 599_999
    expect(await get()).toBe('one')
    await turn()
    expect(mints).toHaveLength(1)
    time.nowMs = 600_000
    expect([await get(), await get()]).toEqual(['one', 'one'])
    await turn()
    expect(mints).toHaveLength(2)
    settle(1, token('two', 600_000))
    await turn()
    expect(await get()).toBe('two')
  })

  test('serves no token after 870 s, but joins the running refresh [§5.4]', async () => {
    const { get, time, mints, settle } = await withToken()
    time.nowMs = 869_999
    expect(await get()).toBe('one')
    time.nowMs = 870_000
    const waiting = get()
    await turn()
    settle(1, token('two', 870_000))
    expect(await waiting).toBe('two')
    expect(mints).toHaveLength(2)
  })

  test('pauses 30 s after a failed background refresh', async () => {
    const { get, time, mints, fail } = await withToken()
    time.nowMs = 600_000
    await get()
    await turn()
    fail(1)
    await turn()
    time.nowMs = 629_999
    expect(await get()).toBe('one')
    await turn()
    expect(mints).toHaveLength(2)
    time.nowMs = 630_000
    expect(await get()).toBe('one')
    await turn()
    expect(mints).toHaveLength(3)
  })

  test('a failed token request fails its callers and is not cached', async () => {
    const { get, mints, settle, fail } = setUp()
    const calls = Promise.allSettled([get(), get()])
    await turn()
    fail(0)
    expect((await calls).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    const next = get()
    await turn()
    settle(1, token('two'))
    expect(await next).toBe('two')
    expect(mints).toHaveLength(2)
  })

  test('does not ask again for callers that abort, because they may have waited for no time', async () => {
    const { get, abort, mints, settle } = setUp()
    const patient = get()
    for (let n = 0; n < 50; n += 1) await abort()
    expect(mints).toHaveLength(1)
    settle(0, token('one'))
    expect(await patient).toBe('one')
  })

  test('asks again after a caller gave up, and answers all who wait', async () => {
    const { get, giveUp, mints, settle } = setUp()
    const patient = get()
    await Promise.all([giveUp(), giveUp()])
    expect(mints).toHaveLength(1)
    const others = [get(), get()]
    await turn()
    expect(mints).toHaveLength(2)
    settle(1, token('two'))
    expect(await Promise.all([patient, ...others])).toEqual(['two', 'two', 'two'])
    expect(mints.map(({ signal }) => signal.aborted)).toEqual([true, true])
  })

  test('does not ask again for a caller that waited mostly for an older request', async () => {
    const { get, giveUp, mints } = setUp()
    const waiting = Promise.allSettled([get({ timeoutMs: 100 })])
    await giveUp()
    const other = get()
    await turn()
    expect(await waiting).toMatchObject([{ reason: { name: 'TimeoutError' } }])
    const last = get()
    await turn()
    expect(mints).toHaveLength(2)
    mints[1]?.reject(new Error('the token endpoint is down'))
    await expect(Promise.all([other, last])).rejects.toThrow('the token endpoint is down')
  })

  test('sends three requests at a time, and leaves the first one its whole time', async () => {
    const { get, giveUp, mints, settle } = setUp()
    for (let n = 0; n < 6; n += 1) await giveUp()
    expect(mints.map(({ signal }) => signal.aborted)).toEqual([false, true, true, true, false, false])
    const waiting = get()
    await turn()
    settle(0, token('slow'))
    expect(await waiting).toBe('slow')
  })

  test('fails its callers with the newest request, and with no older one', async () => {
    const { get, giveUp, mints, fail } = setUp()
    await giveUp()
    const waiting = get()
    await turn()
    mints[0]?.reject(new Error('timed out'))
    await turn()
    fail(1)
    await expect(waiting).rejects.toThrow('the token endpoint is down')
  })

  test('a late 401 of an old token does not drop the newer one', async () => {
    const { cache, get, mints, settle } = await withToken()
    cache.invalidate('one')
    const next = get()
    await turn()
    settle(1, token('two'))
    expect(await next).toBe('two')
    cache.invalidate('one')
    expect(await get()).toBe('two')
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
    expect(await other.get()).toBe('one')
    expect(other.mints).toHaveLength(0)
  })

  test('is not asked for the token that was just refused', async () => {
    const store = memoryStore()
    const { cache, get, mints, settle } = await withToken(store)
    cache.invalidate('one')
    const next = get()
    await turn()
    settle(1, token('two'))
    expect(await next).toBe('two')
    expect(mints).toHaveLength(2)
    expect(store.content).toEqual({ 'issuer client scope': token('two') })
  })

  test('is not asked after a 401, because its token can be refused too [§5.4]', async () => {
    const store = memoryStore()
    const { cache, get, time, mints, settle, fail } = await withToken(store)
    store.content['issuer client scope'] = token('foreign')
    cache.invalidate('one')
    const failing = get()
    await turn()
    fail(1)
    await expect(failing).rejects.toThrow('the token endpoint is down')
    const next = get()
    await turn()
    settle(2, token('two'))
    expect(await next).toBe('two')
    store.content['issuer client scope'] = token('three', 600_000)
    time.nowMs = 600_000
    await get()
    await turn()
    expect(await get()).toBe('three')
    expect(mints).toHaveLength(3)
  })

  test('that answers after a 401 is asked in vain', async () => {
    const store = memoryStore()
    const { cache, get, time, mints, settle } = await withToken(store)
    time.nowMs = 600_000
    const answer = Promise.withResolvers<StoredToken>()
    store.get = () => answer.promise
    await get()
    cache.invalidate('one')
    const next = get()
    answer.resolve(token('foreign', 600_000))
    await turn()
    expect(mints).toHaveLength(2)
    settle(1, token('two', 600_000))
    expect(await next).toBe('two')
  })

  test('with a token due for refresh counts as empty', async () => {
    const store = memoryStore({ 'issuer client scope': token('old') })
    const { get, time, settle } = setUp(store)
    time.nowMs = 600_000
    const next = get()
    await turn()
    settle(0, token('two', 600_000))
    expect(await next).toBe('two')
  })

  test.each<[string, TokenStore]>([
    [
      'holds a token that would break the header',
      {
        get: () => Promise.resolve(token('one\n')),
        set: () => Promise.resolve(),
      },
    ],
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
    const { get } = await withToken(store)
    expect(await get()).toBe('one')
  })

  test('that never answers does not stop payments', async () => {
    const silent = () => new Promise<never>(() => {})
    const { get, mints, settle } = setUp({ get: silent, set: silent })
    const first = get()
    await expect.poll(() => mints, { timeout: WAIT_MS }).toHaveLength(1)
    settle(0, token('one'))
    expect(await first).toBe('one')
  })
})

function fault(): never {
  throw new Error('down')
}
