import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import {
  access,
  basic,
  call,
  core,
  DEFAULTS,
  mintToken,
  query,
  startRails,
  submit,
  subscriptionKey,
  walletNotFound,
} from './mtn-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())
beforeEach(() => rails.control.reset())

const badRequest = { status: 400, body: '' }
const loginFailed = { status: 401, body: { error: 'login_failed' } }
const invalidKey = {
  status: 401,
  body: {
    statusCode: 401,
    message:
      'Access denied due to invalid subscription key. Make sure to provide a valid key for an active subscription.',
  },
}
const missingKey = {
  status: 401,
  body: {
    statusCode: 401,
    message:
      'Access denied due to missing subscription key. Make sure to include subscription key when making requests to an API.',
  },
}
const invalidToken = {
  status: 401,
  body: { statusCode: 401, message: 'Unauthorized. Access token is missing or invalid.' },
}

describe('provisioning', () => {
  const keyHeader = { 'ocp-apim-subscription-key': subscriptionKey('collection') }
  const create = (id: string | undefined, body: string, headers = {}) =>
    call(
      rails.wireUrl,
      'POST',
      '/v1_0/apiuser',
      { ...keyHeader, 'content-type': 'application/json', 'x-reference-id': id, ...headers },
      body,
    )

  test('an API user is created, shown, given a key, and can then get a token', async () => {
    const id = randomUUID()
    const created = await create(id, '{"providerCallbackHost":"shop.example"}')
    expect(core(created)).toEqual({ status: 201, body: '' })
    const shown = await call(rails.wireUrl, 'GET', `/v1_0/apiuser/${id}`, keyHeader)
    expect(core(shown)).toEqual({
      status: 200,
      body: { providerCallbackHost: 'shop.example', targetEnvironment: 'mtncameroon' },
    })
    const keyed = await call(rails.wireUrl, 'POST', `/v1_0/apiuser/${id}/apikey`, keyHeader)
    expect(core(keyed)).toEqual({ status: 201, body: { apiKey: expect.stringMatching(/^[0-9a-f]{32}$/) } })
    const { apiKey } = keyed.body as { apiKey: string }
    const login = () =>
      call(rails.wireUrl, 'POST', '/collection/token/', { ...keyHeader, authorization: basic(id, apiKey) })
    const { access_token: token } = (await login()).body as { access_token: string }
    const headers = { authorization: `Bearer ${token}` }
    const pay = (callbackUrl: string) => submit(rails, { headers, callbackUrl })
    expect((await pay('https://shop.example/cb')).status).toBe(202)
    expect((await pay('https://other.example/cb')).body, 'its own callback host is in force').toMatchObject({
      code: 'INVALID_CALLBACK_URL_HOST',
    })
    await call(rails.wireUrl, 'POST', `/v1_0/apiuser/${id}/apikey`, keyHeader)
    expect(core(await login()), 'a new key replaces the old one').toEqual(loginFailed)
  })

  test('the configured user can get a new key too', async () => {
    const keyed = await call(rails.wireUrl, 'POST', `/v1_0/apiuser/${DEFAULTS.apiUser}/apikey`, keyHeader)
    const { apiKey } = keyed.body as { apiKey: string }
    expect((await rails.control.getSettings()).mtn.apiKey).toBe(apiKey)
  })

  test.each([
    ['an id that is no UUID', 'not-a-uuid', '{"providerCallbackHost":"shop.example"}'],
    [
      'a UUID of version 7',
      '019a0000-0000-7000-8000-000000000000',
      '{"providerCallbackHost":"shop.example"}',
    ],
    ['no id', undefined, '{"providerCallbackHost":"shop.example"}'],
    ['no callback host', randomUUID(), '{}'],
    ['a broken body', randomUUID(), '{'],
  ])('%s is a 400', async (_name, id, body) => {
    expect(core(await create(id, body))).toEqual(badRequest)
  })

  test('an id in use is a 409', async () => {
    expect(core(await create(DEFAULTS.apiUser, '{"providerCallbackHost":"shop.example"}'))).toEqual({
      status: 409,
      body: {
        code: 'RESOURCE_ALREADY_EXIST',
        message: 'Duplicated reference id. Creation of resource failed.',
      },
    })
  })

  test('an unknown user is the wallet’s 404', async () => {
    const path = `/v1_0/apiuser/${randomUUID()}`
    expect(core(await call(rails.wireUrl, 'GET', path, keyHeader))).toEqual(walletNotFound)
    expect(core(await call(rails.wireUrl, 'POST', `${path}/apikey`, keyHeader))).toEqual(walletNotFound)
  })

  test('a subscription key is required', async () => {
    const headers = { 'ocp-apim-subscription-key': 'wrong' }
    expect(core(await create(randomUUID(), '{"providerCallbackHost":"x"}', headers))).toEqual(invalidKey)
    const path = `/v1_0/apiuser/${DEFAULTS.apiUser}`
    expect(core(await call(rails.wireUrl, 'GET', path))).toEqual(missingKey)
    expect(core(await call(rails.wireUrl, 'POST', `${path}/apikey`))).toEqual(missingKey)
  })
})

describe('the token endpoint', () => {
  const good = () => ({
    authorization: basic(DEFAULTS.apiUser, DEFAULTS.apiKey),
    'ocp-apim-subscription-key': subscriptionKey('collection'),
  })
  const ask = (headers: Record<string, string | undefined>, body?: string, path = '/collection/token/') =>
    call(rails.wireUrl, 'POST', path, headers, body)

  test('answers with a JWT whose type is not "Bearer"', async () => {
    const answer = await ask(good())
    expect(core(answer)).toEqual({
      status: 200,
      body: {
        access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        token_type: 'access_token',
        expires_in: 3600,
      },
    })
    const { access_token: token } = answer.body as { access_token: string }
    expect(JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())).toEqual({
      clientId: DEFAULTS.apiUser,
      expires: '2027-01-15T01:00:00.000Z',
      sessionId: expect.any(String),
    })
  })

  test.each([
    ['a wrong key', basic(DEFAULTS.apiUser, 'wrong')],
    ['a wrong user', basic(randomUUID(), DEFAULTS.apiKey)],
    ['another scheme', 'Bearer abc'],
    ['no credentials', undefined],
  ])('%s is a 401 login_failed', async (_name, authorization) => {
    expect(core(await ask({ ...good(), authorization }))).toEqual(loginFailed)
  })

  test('a body is a 400, unless the setting allows it', async () => {
    expect(core(await ask(good(), 'grant_type=client_credentials'))).toEqual(badRequest)
    expect(core(await ask({ ...good(), 'content-type': 'application/json' }, '{}'))).toEqual(badRequest)
    await rails.control.updateSettings({ mtn: { strictTokenBody: false } })
    expect((await ask(good(), 'grant_type=client_credentials')).status).toBe(200)
  })

  test('each product has two subscription keys of its own, both of them valid', async () => {
    for (const key of DEFAULTS.disbursementSubscriptionKeys) {
      const headers = { ...good(), 'ocp-apim-subscription-key': key }
      expect(core(await ask(headers))).toEqual(invalidKey)
      expect((await ask(headers, undefined, '/disbursement/token/')).status).toBe(200)
    }
    expect(core(await ask({ ...good(), 'ocp-apim-subscription-key': undefined }))).toEqual(missingKey)
  })

  test('without its trailing slash the path is unknown to the gateway', async () => {
    expect(core(await ask(good(), undefined, '/collection/token'))).toEqual({
      status: 404,
      body: { statusCode: 404, message: 'Resource not found' },
    })
  })
})

describe('access with a token', () => {
  const ask = async (headers: Record<string, string | undefined>) =>
    core(
      await call(rails.wireUrl, 'GET', `/collection/v1_0/requesttopay/${randomUUID()}`, {
        ...(await access(rails)),
        ...headers,
      }),
    )

  test('with valid credentials reaches the wallet', async () => {
    expect(await ask({})).toEqual(walletNotFound)
  })

  test('the subscription key is checked before the token', async () => {
    expect(await ask({ 'ocp-apim-subscription-key': 'wrong', authorization: undefined })).toEqual(invalidKey)
    expect(await ask({ 'ocp-apim-subscription-key': subscriptionKey('disbursement') })).toEqual(invalidKey)
  })

  test.each([
    ['no token', undefined],
    ['an unknown token', 'Bearer abc'],
    ['the token under another scheme', 'Basic abc'],
  ])('%s is a 401', async (_name, authorization) => {
    expect(await ask({ authorization })).toEqual(invalidToken)
  })

  test('a token of another product is a 401', async () => {
    expect(await ask({ authorization: `Bearer ${await mintToken(rails, 'disbursement')}` })).toEqual(
      invalidToken,
    )
  })

  test('a token is refused after its expiry', async () => {
    const authorization = `Bearer ${await mintToken(rails)}`
    await rails.control.advanceClock(3_599_999)
    expect(await ask({ authorization })).toEqual(walletNotFound)
    await rails.control.advanceClock(1)
    expect(await ask({ authorization })).toEqual(invalidToken)
  })

  test('a revoked token is a 401, and a new one is accepted', async () => {
    const authorization = `Bearer ${await mintToken(rails)}`
    await rails.control.revokeTokens()
    expect(await ask({ authorization })).toEqual(invalidToken)
    expect(await ask({})).toEqual(walletNotFound)
  })

  test('the target environment is required and must be ours', async () => {
    expect(await ask({ 'x-target-environment': undefined })).toEqual(badRequest)
    expect(await ask({ 'x-target-environment': 'sandbox' })).toEqual({
      status: 500,
      body: {
        code: 'NOT_ALLOWED_TARGET_ENVIRONMENT',
        message: 'Access to target environment is forbidden.',
      },
    })
  })
})

test('the call log has the reason of a 400 without a body, and no credentials', async () => {
  await submit(rails, { text: 'not json' })
  const calls = await rails.control.listCalls()
  expect(calls.map((entry) => entry.why)).toEqual([null, expect.stringMatching(/^body/)])
  const { authorization = '' } = await access(rails)
  expect(JSON.stringify(await rails.control.listCalls())).not.toContain(authorization.slice('Bearer '.length))
})

test('the two 404s differ: the gateway does not know the path, or the wallet not the charge', async () => {
  const unrouted = await call(rails.wireUrl, 'GET', '/collections/v1_0/requesttopay/x', await access(rails))
  expect(core(unrouted)).toEqual({ status: 404, body: { statusCode: 404, message: 'Resource not found' } })
  expect(core(await query(rails, randomUUID()))).toEqual(walletNotFound)
  const doubled = await call(rails.wireUrl, 'GET', '///collection/v1_0/requesttopay/x', await access(rails))
  expect(core(doubled)).toEqual(badRequest)
})
