import { Refusal } from '@merchant-payments/contract'
import { describe, expect, test } from 'vitest'
import { identityOf } from './identity.ts'

const terms = { roleClaim: 'roles', acrValues: [] }

describe('the claims of an ID token', () => {
  test.each([
    ['a list', ['a', 'b'], ['a', 'b']],
    ['a text', 'a', ['a']],
    ['nothing', undefined, []],
    ['null', null, []],
    ['a map', { a: true }, []],
    ['values that are not strings', ['a', 1, null, ['b'], { c: 1 }], ['a']],
    ['a string with a NUL', ['a\0', 'b'], ['b']],
    ['a string longer than a claim may be', ['x'.repeat(256), 'a'], ['a']],
    [
      'more claims than the limit',
      Array.from({ length: 65 }, () => 'a'),
      Array.from({ length: 64 }, () => 'a'),
    ],
  ])('%s: identityOf keeps the valid claims', (_what, roles, claims) => {
    expect(identityOf({ sub: 's', roles }, terms).claims).toEqual(claims)
  })

  test('the name is the claim `name`, else the preferred user name, else the subject', () => {
    const nameOf = (claims: object) => identityOf({ sub: 'the-subject', ...claims }, terms).name
    expect(nameOf({ name: 'Ada', preferred_username: 'ada' })).toBe('Ada')
    expect(nameOf({ name: ' ', preferred_username: 'ada' })).toBe('ada')
    expect(nameOf({ name: 'A\0da' })).toBe('Ada')
    expect(nameOf({ name: '\0', preferred_username: 'ada' })).toBe('ada')
    expect(nameOf({ name: 7 })).toBe('the-subject')
    expect(nameOf({ name: 'A'.repeat(300) })).toHaveLength(200)
  })

  test.each([undefined, '', 7, 's'.repeat(201)])('a token without a usable subject is refused: %j', (sub) => {
    expect(() => identityOf({ sub }, terms)).toThrow(Refusal)
  })

  test.each([
    [{ auth_time: 1_700_000_000 }, [], 1_700_000_000_000],
    [{ auth_time: 1_700_000_000, acr: 'mfa' }, ['hwk', 'mfa'], 1_700_000_000_000],
    [{ auth_time: 1_700_000_000, acr: 'pwd' }, ['mfa'], null],
    [{ auth_time: 1_700_000_000, acr: ['mfa'] }, ['mfa'], null],
    [{ auth_time: 1_700_000_000 }, ['mfa'], null],
    [{ auth_time: '1700000000' }, [], null],
    [{ auth_time: 1.5 }, [], null],
    [{ auth_time: -1 }, [], null],
    [{ auth_time: Number.MAX_SAFE_INTEGER }, [], null],
    [{}, [], null],
  ])('claims %j with acr_values %j give auth_time %j', (claims, acrValues, authTimeMs) => {
    expect(identityOf({ sub: 's', ...claims }, { ...terms, acrValues }).authTimeMs).toBe(authTimeMs)
  })
})
