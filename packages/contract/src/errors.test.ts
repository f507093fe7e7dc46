import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { type ErrorCode, errorKinds, Refusal, type StaffErrorCode, staffErrorKinds } from './errors.ts'

const kinds = { ...errorKinds, ...staffErrorKinds }
const codes = Object.keys(kinds) as (ErrorCode | StaffErrorCode)[]

describe('a refusal', () => {
  test.each(codes)('%s renders one envelope, whose type follows from its code [§7.1]', (code) => {
    const refusal = new Refusal(code, 'Words for people.')
    expect(refusal.toEnvelope()).toEqual({
      error: { type: kinds[code].type, code, message: 'Words for people.' },
    })
    expect(refusal.kind).toBe(kinds[code])
  })

  test('names at most the first hundred characters of a parameter', () => {
    const { param } = new Refusal('invalid_request', 'is too long', {
      param: `metadata[${'k'.repeat(60_000)}]`,
    })
    expect(param).toBe(`metadata[${'k'.repeat(91)}`)
  })

  test.each([
    'payment_method_data[mtn][msisdnn]',
    'payment_method_types[0]',
    'payment_method_types[]',
    'paymentMethodTypes',
    'address[line1]',
    'metadata[Order-42]',
  ])('names a parameter of plain words whole: %s', (param) => {
    expect(new Refusal('invalid_request', 'is required', { param }).toEnvelope().error).toMatchObject({
      message: `${param} is required`,
      param,
    })
  })

  test.each([
    ['a text', 'metadata[Awa Ngo]'],
    ['a text beyond ASCII', 'metadata[Aïssatou]'],
    ['an address', 'metadata[awa@example.com]'],
    ['a number', 'metadata[237670000001]'],
    ['a number in groups', 'metadata[6-70-00-00-01]'],
    ['a number within a word', 'metadata[order_of_670000001]'],
    ['an id', 'metadata[pi_0123456789abcdef0123456789abcdef]'],
    ['an unclosed bracket', 'metadata[order'],
  ])('names of a parameter with %s its leading word alone', (_, param) => {
    expect(new Refusal('invalid_request', 'is required', { param }).toEnvelope().error).toMatchObject({
      message: 'metadata is required',
      param: 'metadata',
    })
  })

  test.each([
    '{"name":"Awa Ngo","phone":"237670000001"}',
    'awa.ngo',
    '237670000001',
    '',
    '[order]',
    'Awa[Ngo ',
  ])('does not name a parameter without a plain word in front: %j', (param) => {
    const { error } = new Refusal('invalid_request', 'is given more than once', { param }).toEnvelope()
    expect(error.message).toBe('A parameter’s name is given more than once')
    expect(error).not.toHaveProperty('param')
  })

  test('names the faulty parameter, and otherwise lacks the key [§7.1]', () => {
    expect(new Refusal('invalid_request', 'is required', { param: 'amount' }).toEnvelope()).toEqual({
      error: {
        type: 'invalid_request_error',
        code: 'invalid_request',
        message: 'amount is required',
        param: 'amount',
      },
    })
    expect(Object.keys(new Refusal('invalid_request', 'is required').toEnvelope().error)).toEqual([
      'type',
      'code',
      'message',
    ])
  })

  test.each([
    ['must be XAF or EUR', 'currency must be XAF or EUR'],
    ['No such value.', 'currency: No such value.'],
    ['The currency differs.', 'The currency differs.'],
    ['currency must be XAF or EUR', 'currency must be XAF or EUR'],
    ['must be the currency of the invoice', 'currency must be the currency of the invoice'],
    ['Only base_currency is known.', 'currency: Only base_currency is known.'],
  ])('says %j of a parameter as %j', (message, said) => {
    const { error } = new Refusal('invalid_request', message, { param: 'currency' }).toEnvelope()
    expect(error.message).toBe(said)
  })

  test('keeps its cause out of the envelope, for the log only', () => {
    const cause = new Error('connect ECONNREFUSED 10.0.0.7:5432')
    const refusal = new Refusal('internal_error', 'An unexpected error occurred.', { cause })
    expect(refusal.cause).toBe(cause)
    expect(JSON.stringify(refusal.toEnvelope())).not.toContain('10.0.0.7')
  })
})

describe('the catalogue', () => {
  test('stores no 5xx, and asks for no retry of a 409 [§7.2, §8]', () => {
    const storedFaults = codes.filter((code) => kinds[code].status >= 500 && kinds[code].stored)
    const retriedConflicts = codes.filter((code) => kinds[code].status === 409 && kinds[code].shouldRetry)
    expect({ storedFaults, retriedConflicts }).toEqual({ storedFaults: [], retriedConflicts: [] })
    expect(errorKinds.idempotency_key_in_flight.shouldRetry).toBe(true)
  })

  test('has the statuses, types and codes of the known cases [§7.2]', () => {
    const known = [
      ['authentication_error', 401, 'authentication_error'],
      ['forbidden', 403, 'invalid_request_error'],
      ['resource_missing', 404, 'invalid_request_error'],
      ['unknown_route', 404, 'invalid_request_error'],
      ['invalid_request', 400, 'invalid_request_error'],
      ['idempotency_key_in_use', 400, 'idempotency_error'],
      ['idempotency_key_in_flight', 400, 'idempotency_error'],
      ['provider_unavailable', 502, 'api_error'],
    ] as const
    for (const [code, status, type] of known) expect.soft(kinds[code]).toMatchObject({ status, type })
  })

  test('docs/errors.md lists the same codes with the same facts', async () => {
    expect(
      documentedKinds(await readFile(new URL('../../../docs/errors.md', import.meta.url), 'utf8')),
    ).toEqual(codes.map((code) => ({ code, ...kinds[code] })))
    expect(kinds.charge_in_progress).toHaveProperty('storedExcept')
  })
})

/** Rows of the table of codes, in order: those with a status in the second cell and a type in the third. */
function documentedKinds(markdown: string) {
  const rows = markdown.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))
  return rows
    .filter(([, code = '', status = '', type = '']) => /^`\w+`\d{3}`\w+`$/.test(code + status + type))
    .map((cells) => {
      const [, code, status, type, retry, stored, help] = cells.map((cell) => cell.replaceAll('`', ''))
      const [, storedExcept] = /^yes, except of (.*)$/.exec(stored ?? '') ?? []
      return {
        code,
        status: Number(status),
        type,
        shouldRetry: retry === 'true',
        stored: stored?.startsWith('yes'),
        ...(storedExcept !== undefined && { storedExcept }),
        help,
      }
    })
}
