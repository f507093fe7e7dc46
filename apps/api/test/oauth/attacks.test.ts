import { randomUUID } from 'node:crypto'
import { openTestDatabase } from '@merchant-payments/db/testing'
import { cloneDatabase } from '@merchant-payments/testing'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { assertionForgeries } from './assertion-forgeries.ts'
import { claimsOf, forge, rsaKeys } from './forge.ts'
import {
  assertionOf,
  clients,
  type Form,
  formOf,
  invalidClient,
  nowSec,
  postToken,
  serviceKey,
  shopKey,
} from './merchants.ts'
import { bootReplica, issuer } from './replica.ts'
import { tokenClaims, tokenForgeries } from './token-forgeries.ts'

const HOUR_MS = 60 * 60 * 1_000
const startMs = nowSec * 1_000
let nowMs = startMs
afterEach(() => {
  nowMs = startMs
})
const clock = () => nowMs

const database = await cloneDatabase()
const sql = openTestDatabase(database.appUrl)
const serving = { kid: 'service-1', privateKey: serviceKey.privateKey }
const older = { kid: 'service-0', privateKey: rsaKeys().privateKey }
const retired = await bootReplica({ databaseUrl: database.appUrl, clock, key: older, clients })
const replica = await bootReplica({ databaseUrl: database.appUrl, clock, key: serving, clients })
afterAll(async () => {
  await retired[Symbol.asyncDispose]()
  await replica[Symbol.asyncDispose]()
  await sql.close()
  await database.drop()
})

const post = (form: Form | string) => postToken(replica, form)
const postAssertion = (client_assertion: string, client_id = 'shop') =>
  post(formOf({ client_id, client_assertion, audience: 'service:v1' }))

async function read(token: string, at = replica) {
  const response = await fetch(`${at.origin}/v1/events`, { headers: { authorization: `Bearer ${token}` } })
  return { status: response.status, text: await response.text() }
}

const unauthenticated = {
  status: 401,
  text: JSON.stringify({
    error: {
      type: 'authentication_error',
      code: 'authentication_error',
      message: 'The bearer token is missing or not valid.',
    },
  }),
}

describe('the token endpoint has one answer for an assertion [§5.1.4, §5.2, §5.7]', () => {
  const said = JSON.stringify(invalidClient)

  test.each(assertionForgeries)('$what', async ({ fault, clientId, assertion }) => {
    const answer = await postAssertion(assertion, clientId)
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 401, body: invalidClient })
    expect(answer.text).toBe(said)
    expect(replica.refusals.at(-1)).toContain(`"reason":"${fault}"`)
  })

  test('that is an access token of the service, whichever client sends it', async () => {
    const { body } = await postAssertion(assertionOf())
    for (const clientId of ['shop', 'nobody', issuer]) {
      expect((await postAssertion(String(body['access_token']), clientId)).text).toBe(said)
    }
  })

  test('of a client that was disabled', async () => {
    await using _ = await disabled('shop')
    expect((await postAssertion(assertionOf())).text).toBe(said)
  })
})

describe('/v1 has one answer for a token [§5.4]', () => {
  test.each(tokenForgeries(serving, 'service-0'))('%s', async (_, token) => {
    expect(await read(token)).toEqual(unauthenticated)
  })

  test('that is an assertion, which the token endpoint would accept', async () => {
    const assertion = assertionOf()
    expect(await read(assertion)).toEqual(unauthenticated)
    expect((await postAssertion(assertion)).status).toBe(200)
  })

  test('of a client that was disabled meanwhile', async () => {
    const token = String((await postAssertion(assertionOf())).body['access_token'])
    expect((await read(token)).status).toBe(200)
    await using _ = await disabled('shop')
    expect(await read(token)).toEqual(unauthenticated)
  })

  const signedBy = (key: typeof serving) =>
    forge(
      key.privateKey,
      { ...tokenClaims(), iat: Math.floor(nowMs / 1_000), exp: Math.floor(nowMs / 1_000) + 900 },
      {
        alg: 'RS256',
        typ: 'at+jwt',
        kid: key.kid,
      },
    )

  test('of a key that was retired 24 hours ago, but not sooner', async () => {
    nowMs = startMs + 24 * HOUR_MS - 1
    expect((await read(signedBy(older))).status).toBe(200)
    nowMs += 1
    // With another jti than the token above, because the service has cached that one's signature.
    expect(await read(signedBy(older))).toEqual(unauthenticated)
    expect((await read(signedBy(serving))).status).toBe(200)
  })

  test('of a key that never belonged to the service', async () => {
    expect(await read(signedBy({ kid: 'service-2', privateKey: rsaKeys().privateKey }))).toEqual(
      unauthenticated,
    )
  })
})

describe('instants, to the second, with a leeway of 60 seconds [§5.2, §8]', () => {
  test.each<[claim: 'exp' | 'nbf' | 'iat', offsetSec: number, status: number]>([
    ['exp', -61, 401],
    ['exp', -60, 401],
    ['exp', -59, 200],
    ['exp', 1, 200],
    ['exp', 300, 200],
    ['exp', 360, 200],
    ['exp', 361, 401],
    ['nbf', -3_600, 200],
    ['nbf', 0, 200],
    ['nbf', 60, 200],
    ['nbf', 61, 401],
    ['iat', -300, 200],
    ['iat', 60, 200],
    ['iat', 61, 401],
  ])('%s at %i seconds from now is a %i', async (claim, offsetSec, status) => {
    const claims = { ...claimsOf('shop', issuer, nowSec), [claim]: nowSec + offsetSec }
    expect((await postAssertion(forge(shopKey.privateKey, claims))).status).toBe(status)
  })

  test('one assertion of 300 seconds is valid until its 360th, at either edge of a second', async () => {
    const assertion = () => assertionOf('shop', shopKey, { exp: nowSec + 300 })
    const [early, late] = [assertion(), assertion()]
    nowMs = startMs + 360_000 - 1
    expect((await postAssertion(early)).status).toBe(200)
    nowMs += 1
    expect((await postAssertion(late)).status).toBe(401)
  })

  test('an access token is valid for 900 seconds, without leeway [§5.4]', async () => {
    const token = String((await postAssertion(assertionOf())).body['access_token'])
    nowMs = startMs + 900_000 - 1
    expect((await read(token)).status).toBe(200)
    nowMs += 1
    expect(await read(token)).toEqual(unauthenticated)
  })
})

describe('an ambiguous request', () => {
  const encoded = () => new URLSearchParams(formOf({ audience: 'service:v1' })).toString()

  test.each([
    ['client_assertion', 'client_assertion=x'],
    ['client_id', 'client_id=stall'],
    ['client_id, spelled otherwise', 'client%5fid=stall'],
    ['client_id, without a value', 'client_id'],
    ['scope', 'scope=payments:read&scope=payments:write'],
    ['audience', 'audience=service:v2'],
  ])('%s twice is refused, and the assertion is not spent', async (_, more) => {
    const form = encoded()
    const answer = await post(`${form}&${more}`)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { error: 'invalid_request', error_description: 'a parameter is given twice' },
    })
    expect((await post(form)).status).toBe(200)
  })

  test('more than 64 KiB is a 413 without a body', async () => {
    const response = await fetch(`${replica.origin}/v1/oauth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `${encoded()}&note=${'a'.repeat(64 * 1_024)}`,
    })
    expect({ status: response.status, text: await response.text() }).toEqual({ status: 413, text: '' })
  })

  test('an assertion of 12 kilobytes is refused before it is read', async () => {
    expect((await postAssertion(`${'a'.repeat(12_000)}.e30.`)).body).toEqual(invalidClient)
  })

  test('parameters in the query are not read', async () => {
    const form = encoded()
    expect((await fetch(`${replica.origin}/v1/oauth/token?${form}`)).status).toBe(405)
    const response = await fetch(`${replica.origin}/v1/oauth/token?${form}`, { method: 'POST' })
    expect({ status: response.status, body: await response.json() }).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
  })
})

test('of a hundred connections that post one assertion at once, one gets a token', async () => {
  const form = formOf({ client_assertion: assertionOf('shop', shopKey, { jti: randomUUID() }) })
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, n) => postToken(n % 2 === 0 ? replica : retired, form)),
  )
  const lost = answers.filter(({ status }) => status !== 200)
  expect(lost).toHaveLength(99)
  expect(new Set(lost.map(({ status, text }) => `${status} ${text}`))).toEqual(
    new Set([`401 ${JSON.stringify(invalidClient)}`]),
  )
})

async function disabled(clientId: string): Promise<AsyncDisposable> {
  const row = { client_id: clientId, reason: 'a test' }
  await sql.transact((tx) => tx.insertInto('disabled_clients').values(row).execute())
  return {
    [Symbol.asyncDispose]: async () => {
      await sql.transact((tx) =>
        tx.deleteFrom('disabled_clients').where('client_id', '=', clientId).execute(),
      )
    },
  }
}
