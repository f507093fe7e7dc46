import type { Scope } from '@merchant-payments/config'
import { cloneDatabase } from '@merchant-payments/testing'
import { afterAll, describe, expect, test } from 'vitest'
import { rsaKeys } from './forge.ts'
import {
  assertionOf,
  clients,
  clock,
  type Form,
  formOf,
  invalidClient,
  nowSec,
  postToken,
  shopKey,
  stallKey,
} from './merchants.ts'
import { bootReplica, issuer, publicBaseUrl } from './replica.ts'

const tokenEndpoint = `${publicBaseUrl}/v1/oauth/token`

const database = await cloneDatabase()
const key = { kid: 'service-1', privateKey: rsaKeys().privateKey }
const replica = await bootReplica({ databaseUrl: database.appUrl, clock, key, clients })
afterAll(async () => {
  await replica[Symbol.asyncDispose]()
  await database.drop()
})

const post = (form: Form | string, headers?: Form) => postToken(replica, form, headers)

const claimsIn = (token: unknown) => {
  const [header, claims] = String(token)
    .split('.')
    .map((part) => Buffer.from(part, 'base64url').toString())
  return {
    header: JSON.parse(header ?? '') as object,
    claims: JSON.parse(claims ?? '') as Record<string, unknown>,
  }
}

describe('200', () => {
  test('a valid assertion gets a bearer token of 900 seconds [§1.6, §2.9, §5.1.1, §5.1.2]', async () => {
    const { status, headers, body } = await post(formOf({ audience: 'service:v1' }))
    expect({ status, body }).toEqual({
      status: 200,
      body: { access_token: expect.any(String), token_type: 'Bearer', expires_in: 900 },
    })
    expect([headers.get('content-type'), headers.get('cache-control'), headers.get('pragma')]).toEqual([
      'application/json; charset=utf-8',
      'no-store',
      'no-cache',
    ])
    expect(claimsIn(body['access_token'])).toEqual({
      header: { alg: 'RS256', typ: 'at+jwt', kid: 'service-1' },
      claims: {
        iss: issuer,
        sub: 'shop',
        client_id: 'shop',
        aud: 'service:v1',
        scope: 'payments:read payments:write',
        iat: nowSec,
        exp: nowSec + 900,
        jti: expect.any(String),
      },
    })
    expect(await replica.verifyAccessToken(String(body['access_token']))).toEqual({
      merchantId: 'shop',
      scopes: ['payments:read', 'payments:write'],
    })
  })

  test.each([
    ['the token endpoint', { aud: tokenEndpoint }],
    ['the issuer', { aud: issuer }],
  ])('an assertion may have %s as its audience [§5.2]', async (_, claims) => {
    expect((await post(formOf({ client_assertion: assertionOf('shop', shopKey, claims) }))).status).toBe(200)
  })

  test.each([
    ['one', stallKey],
    ['two', shopKey],
  ])('a client with several keys names the one it used: %s [§5.2]', async (kid, key) => {
    const client_assertion = assertionOf('stall', key, {}, { alg: 'RS256', kid })
    expect((await post(formOf({ client_id: 'stall', client_assertion }))).status).toBe(200)
  })

  test.each<[string, Form, string, boolean]>([
    ['none', {}, 'shop', false],
    ['an empty one', { audience: '' }, 'shop', false],
    ['its own id', { audience: 'shop' }, 'shop', false],
    ['service:v1', { audience: 'service:v1' }, 'service:v1', true],
    ['another of its own', { audience: 'reports:v1' }, 'reports:v1', false],
  ])('the token has the requested audience: %s [§5.3]', async (_, form, aud, passes) => {
    const { body } = await post(formOf(form))
    expect(claimsIn(body['access_token']).claims['aud']).toBe(aud)
    expect((await replica.verifyAccessToken(String(body['access_token']))) !== null).toBe(passes)
  })

  test.each<[string, Form, Scope[]]>([
    ['no scope: all registered', {}, ['payments:read', 'payments:write']],
    ['an empty scope: all registered', { scope: '' }, ['payments:read', 'payments:write']],
    ['a narrower scope: that', { scope: 'payments:write' }, ['payments:write']],
    ['a scope twice: once', { scope: 'payments:read payments:read' }, ['payments:read']],
    ['a client without scopes: none', { client_id: 'kiosk' }, []],
  ])('the token has the requested scopes, or all: %s [§5.3]', async (_, form, scopes) => {
    const { body } = await post(formOf({ ...form, audience: 'service:v1' }))
    expect(claimsIn(body['access_token']).claims['scope']).toBe(scopes.join(' '))
    expect(await replica.verifyAccessToken(String(body['access_token']))).toMatchObject({ scopes })
  })

  test('unknown parameters are ignored', async () => {
    expect((await post(formOf({ resource: 'https://pay.example', audience: 'service:v1' }))).status).toBe(200)
  })

  test('a form may have 32 parameters and 16 KiB', async () => {
    const form = new URLSearchParams(formOf()).toString()
    const names = Array.from({ length: 32 - Object.keys(formOf()).length }, (_, n) => `&x${n}=x`).join('')
    expect((await post((form + names).padEnd(16 * 1024, 'x'))).status).toBe(200)
  })

  test('the content type may have a charset', async () => {
    const headers = { 'content-type': 'Application/x-www-form-urlencoded; charset=UTF-8' }
    expect((await post(formOf(), headers)).status).toBe(200)
  })
})

describe('400', () => {
  test.each([
    [
      '33 parameters',
      `${new URLSearchParams(formOf()).toString()}${Array.from({ length: 29 }, (_, n) => `&x${n}=x`).join('')}`,
      'the body has too many parameters',
    ],
    [
      'thousands of names',
      Array.from({ length: 5_000 }, (_, n) => n.toString(36))
        .join('&')
        .slice(0, 16_000),
      'the body has too many parameters',
    ],
    ['more than 16 KiB', 'x'.repeat(16 * 1024 + 1), 'the body is too long'],
  ])('a form with %s is refused before it is parsed', async (_, form, description) => {
    const { status, body } = await post(form)
    expect({ status, body }).toEqual({
      status: 400,
      body: { error: 'invalid_request', error_description: description },
    })
  })

  const { grant_type: _grant, ...noGrant } = formOf()
  const { client_id: _id, ...noClientId } = formOf()
  const { client_assertion: _assertion, ...noAssertion } = formOf()
  const { client_assertion_type: _type, ...noAssertionType } = formOf()
  const twice = (name: string) =>
    `${new URLSearchParams(formOf({ audience: 'service:v1' })).toString()}&${name}=x`
  const json = { 'content-type': 'application/json' }
  const badType = 'client_assertion_type must be urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
  const oneWay = 'the client must authenticate by client_assertion alone'
  const notForm = 'the body must be application/x-www-form-urlencoded'
  const repeated = 'a parameter is given twice'
  const denied = 'the client may use client_credentials only'
  const unsupported = 'grant_type must be client_credentials'
  const badScope = 'the client is not registered for this scope'
  const badAudience = 'the client is not registered for this audience'

  test.each<[string, string, string, Form | string, Form?]>([
    ['no grant type', 'invalid_request', 'grant_type is required', noGrant],
    ['an empty grant type', 'invalid_request', 'grant_type is required', formOf({ grant_type: '' })],
    ['no client id', 'invalid_request', 'client_id is required', noClientId],
    ['no assertion', 'invalid_request', 'client_assertion is required', noAssertion],
    ['no assertion type', 'invalid_request', 'client_assertion_type is required', noAssertionType],
    ['another assertion type', 'invalid_request', badType, formOf({ client_assertion_type: 'saml' })],
    ['no body', 'invalid_request', 'grant_type is required', ''],
    ['a JSON body', 'invalid_request', notForm, JSON.stringify(formOf()), json],
    ['a form with a malformed content type', 'invalid_request', notForm, formOf(), { 'content-type': ';;' }],
    ['a form by another name', 'invalid_request', notForm, formOf(), { 'content-type': 'text/plain' }],
    [
      'HTTP Basic beside the assertion',
      'invalid_request',
      oneWay,
      formOf(),
      { authorization: 'Basic c2hvcDpzaG9w' },
    ],
    ['a client secret beside the assertion', 'invalid_request', oneWay, formOf({ client_secret: 'x' })],
    ['two assertions', 'invalid_request', repeated, twice('client_assertion')],
    ['two client ids', 'invalid_request', repeated, twice('client_id')],
    ['two grant types', 'invalid_request', repeated, twice('grant_type')],
    ['two audiences', 'invalid_request', repeated, twice('audience')],
    ['an unknown parameter twice', 'invalid_request', repeated, `${twice('x')}&x=y`],
    ['a denied grant and nothing else', 'unauthorized_client', denied, { grant_type: 'refresh_token' }],
    [
      'the device grant by its short name',
      'unauthorized_client',
      denied,
      formOf({ grant_type: 'device_code' }),
    ],
    [
      'a grant that nobody knows',
      'unsupported_grant_type',
      unsupported,
      formOf({ grant_type: 'client_credential' }),
    ],
    [
      'a grant in another case',
      'unsupported_grant_type',
      unsupported,
      formOf({ grant_type: 'Client_Credentials' }),
    ],
    [
      'a scope beyond the registration',
      'invalid_scope',
      badScope,
      formOf({ client_id: 'kiosk', scope: 'payments:read' }),
    ],
    ['one scope too many', 'invalid_scope', badScope, formOf({ scope: 'payments:read payments:admin' })],
    ['scopes between tabs', 'invalid_scope', badScope, formOf({ scope: 'payments:read\tpayments:write' })],
    [
      'scopes between two spaces',
      'invalid_scope',
      badScope,
      formOf({ scope: 'payments:read  payments:write' }),
    ],
    ['another audience', 'invalid_target', badAudience, formOf({ audience: 'service:v2' })],
    [
      'the id of another client for an audience',
      'invalid_target',
      badAudience,
      formOf({ audience: 'stall' }),
    ],
  ])('%s is %s [§5.3, §7.3]', async (_, error, description, form, headers) => {
    const answer = await post(form, headers)
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { error, error_description: description },
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('compat-should-retry')).toBe('false')
    // RFC 6749 5.2: the characters that a description may have.
    expect(description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  })

  test.each([
    'authorization_code',
    'refresh_token',
    'password',
    'implicit',
    'urn:ietf:params:oauth:grant-type:device_code',
    'urn:ietf:params:oauth:grant-type:jwt-bearer',
    'urn:ietf:params:oauth:grant-type:saml2-bearer',
    'urn:ietf:params:oauth:grant-type:token-exchange',
    'urn:ietf:params:oauth:grant-type:uma-ticket',
    'urn:openid:params:grant-type:ciba',
  ])('another registered grant is unauthorized_client: %s [§5.1.2]', async (grant) => {
    const answer = await post(formOf({ grant_type: grant }))
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: { error: 'unauthorized_client', error_description: denied },
    })
  })
})

/** Headers that are the same in every exchange. */
const lastingHeaders = ({ headers }: { headers: Headers }) =>
  Object.fromEntries([...headers].filter(([name]) => !/^(?:date|(?:x-)?request-id)$/.test(name)))

describe('401 [§7.3]', () => {
  const causes: readonly [string, string, () => Form][] = [
    ['an unknown client', 'unknown_client', () => formOf({ client_id: 'nobody' })],
    ['a wrong key', 'signature', () => formOf({ client_assertion: assertionOf('shop', stallKey) })],
    [
      'a kid that is not registered',
      'unknown_kid',
      () => formOf({ client_assertion: assertionOf('shop', shopKey, {}, { alg: 'RS256', kid: 'x' }) }),
    ],
    [
      'no kid with several keys',
      'unknown_kid',
      () => formOf({ client_id: 'stall', client_assertion: assertionOf('stall', stallKey) }),
    ],
    [
      'another audience',
      'audience',
      () => formOf({ client_assertion: assertionOf('shop', shopKey, { aud: 'https://evil.example' }) }),
    ],
    [
      'a clock a minute slow',
      'expiry',
      () => formOf({ client_assertion: assertionOf('shop', shopKey, { exp: nowSec - 60 }) }),
    ],
    [
      'the assertion of another client',
      'issuer_or_subject',
      () => formOf({ client_assertion: assertionOf('stall', stallKey) }),
    ],
    ['garbage', 'unreadable', () => formOf({ client_assertion: 'garbage' })],
  ]

  test.each(causes)('%s is distinguished only in the log [§5.7]', async (_, reason, form) => {
    const [answer, garbage] = [await post(form()), await post(formOf({ client_assertion: 'x.y.z' }))]
    expect({ status: answer.status, body: answer.body }).toEqual({ status: 401, body: invalidClient })
    expect(answer.text).toBe(garbage.text)
    expect(lastingHeaders(answer)).toEqual(lastingHeaders(garbage))
    expect(replica.refusals.at(-2)).toContain(`"reason":"${reason}"`)
  })

  test('no log line has an assertion or an unknown client’s text', async () => {
    const form = formOf({ client_id: 'canary-4f1d9c' })
    await post(form)
    await post(formOf({ client_assertion: assertionOf('shop', stallKey) }))
    const log = replica.refusals.join('')
    expect(log).toContain('"client_id":"shop"')
    expect(log).not.toContain('canary-4f1d9c')
    expect(log).not.toContain(form['client_assertion'])
    expect(log).not.toMatch(/\beyJ/)
  })
})
