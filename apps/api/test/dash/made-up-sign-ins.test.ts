import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import { listen } from '@merchant-payments/testing/listen'
import { describe, expect, onTestFinished, test } from 'vitest'
import { SIGN_IN_COOKIE } from '../../src/dash/cookies.ts'
import { DASHBOARD_PATH } from '../../src/dash/return-path.ts'
import { type Browser, openBrowser, sendDiscovery, startStaffApi } from './staff.ts'

/** More than the surface runs and keeps waiting. */
const FLOOD = 60

/** A provider that redeems no code. Its token endpoint holds its answers until they are released. */
async function startProvider() {
  const token = { asked: 0, isOpen: false }
  const held: ServerResponse[] = []
  const server = createServer((request, response) => {
    if (request.url === '/token') {
      token.asked += 1
      if (token.isOpen) response.writeHead(503).end()
      else held.push(response)
      return
    }
    sendDiscovery(response, issuer)
  })
  const issuer = `http://127.0.0.1:${await listen(server)}`
  const release = () => {
    token.isOpen = true
    for (const response of held.splice(0)) response.writeHead(503).end()
  }
  return { issuer, asked: () => token.asked, release }
}

interface Begun {
  readonly browser: Browser
  readonly callback: string
}

const callbackOf = (state: string | null) => `/dash/v1/callback?code=x&state=${state}`

async function start() {
  const { issuer, asked, release } = await startProvider()
  const api = await startStaffApi({ issuer, clock: 'still' })
  onTestFinished(() => {
    release()
    return api.stop()
  })
  const begin = async (): Promise<Begun> => {
    const browser = openBrowser(api)
    const { headers } = await browser.go('/dash/v1/sign_in')
    return { browser, callback: callbackOf(new URL(headers.location ?? '').searchParams.get('state')) }
  }
  /** Needs no service: the cookie is the key of its own state, in the form of the release before. */
  const makeUp = (): Begun => {
    const returnTo = Buffer.from(DASHBOARD_PATH).toString('base64url')
    const cookie = `${api.clock()}.${randomBytes(32).toString('base64url')}.${returnTo}`
    const state = createHmac('sha256', cookie).update('state').digest('base64url')
    return { browser: openBrowser(api, new Map([[SIGN_IN_COOKIE, cookie]])), callback: callbackOf(state) }
  }
  /** The same sign-in in another browser. */
  const copy = ({ browser, callback }: Begun): Begun => ({
    browser: openBrowser(api, new Map(browser.cookies)),
    callback,
  })
  return { asked, release, begin, makeUp, copy }
}

const finish = async ({ browser, callback }: Begun): Promise<number> => (await browser.go(callback)).status
const many = <T>(make: () => T): T[] => Array.from({ length: FLOOD }, make)

describe('a sign-in that was made up', () => {
  test('takes no slot, and asks the provider for nothing', async () => {
    const { begin, makeUp, asked, release } = await start()
    const begun = await begin()
    const flood = many(() => finish(makeUp()))
    expect(await Promise.race(flood)).toBe(400)
    const answer = finish(begun)
    await expect.poll(asked).toBe(1)
    release()
    expect(await answer).toBe(502)
    expect(new Set(await Promise.all(flood))).toEqual(new Set([400]))
    expect(asked()).toBe(1)
  })

  test('has the form of one that began at the release before, whose page leads to another sign-in', async () => {
    const { makeUp } = await start()
    const { browser, callback } = makeUp()
    const refused = await browser.go(callback)
    expect(refused).toMatchObject({ status: 400, text: expect.stringContaining('Start again.') })
    expect(browser.cookies.has(SIGN_IN_COOKIE)).toBe(false)
    const [, again = ''] = /href="([^"]+)"/.exec(refused.text) ?? []
    expect((await browser.go(again)).status).toBe(303)
    expect(browser.cookies.has(SIGN_IN_COOKIE)).toBe(true)
  })
})

describe('a sign-in that the service began', () => {
  test('asks the provider once, however many copies of it come', async () => {
    const { begin, copy, asked, release } = await start()
    const begun = await begin()
    const answers = many(() => finish(copy(begun)))
    expect(await Promise.race(answers)).toBe(400)
    release()
    const statuses = await Promise.all(answers)
    expect(statuses.filter((status) => status === 400)).toHaveLength(FLOOD - 1)
    expect(statuses).toContain(502)
    expect(await finish(begun)).toBe(400)
    expect(asked()).toBe(1)
  })

  test('can be finished later if there was no slot for it', async () => {
    const { begin, release } = await start()
    const shed: Begun[] = []
    const all: Begun[] = []
    // One after the other, because the surface sheds those that begin together, too.
    for (let n = 0; n < FLOOD; n += 1) all.push(await begin())
    const answers = all.map(async (begun) => {
      if ((await finish(begun)) === 503) shed.push(begun)
    })
    await expect.poll(() => shed.length).toBeGreaterThan(0)
    release()
    await Promise.all(answers)
    expect(await Promise.all(shed.slice(0, 1).map(finish))).toEqual([502])
  })
})
