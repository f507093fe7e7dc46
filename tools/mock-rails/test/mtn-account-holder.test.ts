import { afterAll, describe, expect, test } from 'vitest'
import { access, call, core, startRails, walletNotFound } from './mtn-client.ts'

const rails = await startRails()
afterAll(() => rails.stop())

const ask = async (suffix: string, question: string, type = 'msisdn') =>
  core(
    await call(
      rails.wireUrl,
      'GET',
      `/collection/v1_0/accountholder/${type}/237670000${suffix}/${question}`,
      await access(rails),
    ),
  )

const refusals = [
  ['450', walletNotFound],
  [
    '452',
    {
      status: 500,
      body: { code: 'NOT_ALLOWED', message: 'Authorization failed. Insufficient permissions.' },
    },
  ],
  [
    '453',
    {
      status: 500,
      body: {
        code: 'NOT_ALLOWED_TARGET_ENVIRONMENT',
        message: 'Access to target environment is forbidden.',
      },
    },
  ],
  [
    '454',
    {
      status: 500,
      body: {
        code: 'INTERNAL_PROCESSING_ERROR',
        message: 'An internal error occurred while processing.',
      },
    },
  ],
  [
    '455',
    {
      status: 503,
      body: {
        code: 'SERVICE_UNAVAILABLE',
        message: 'Service temporarily unavailable, try again later.',
      },
    },
  ],
] as const

describe('an account holder', () => {
  test('is active', async () => {
    expect(await ask('001', 'active')).toEqual({ status: 200, body: { result: true } })
  })

  test('451 is not active', async () => {
    expect(await ask('451', 'active')).toEqual({ status: 200, body: { result: false } })
  })

  test.each(refusals)('%s is refused for both queries', async (suffix, answer) => {
    expect(await ask(suffix, 'active')).toEqual(answer)
    expect(await ask(suffix, 'basicuserinfo')).toEqual(answer)
  })

  test.each(['001', '451'])('%s has a name', async (suffix) => {
    expect(await ask(suffix, 'basicuserinfo')).toEqual({
      status: 200,
      body: {
        sub: '0',
        name: 'Sand Box',
        given_name: 'Sand',
        family_name: 'Box',
        birthdate: '1976-08-13',
        locale: 'sv_SE',
        gender: 'MALE',
        updated_at: 1_676_609_351,
      },
    })
  })

  test('the party type of the path is lower-case', async () => {
    expect(await ask('001', 'active', 'MSISDN')).toEqual({
      status: 404,
      body: { statusCode: 404, message: 'Resource not found' },
    })
  })

  test('requires a token', async () => {
    const path = '/collection/v1_0/accountholder/msisdn/237670000001/active'
    expect((await call(rails.wireUrl, 'GET', path)).status).toBe(401)
  })
})
