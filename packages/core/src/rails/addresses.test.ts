import { describe, expect, test } from 'vitest'
import { makeRail, PUSH, REDIRECT } from '../../test/make.ts'
import { callbackUrlOf, railsOutOfReach, railsRefusingHost, takesUrl } from './addresses.ts'
import type { RailAdapter } from './port.ts'

const base = 'https://pay.example'

describe('the address of a callback', () => {
  test('names the rail and the charge', () => {
    expect(callbackUrlOf(base, makeRail(PUSH), 'ref-1')).toBe(
      'https://pay.example/provider/push_rail/callback?ref=ref-1',
    )
  })

  test('is none where the deployment takes no callbacks', () => {
    expect(callbackUrlOf(base, { ...makeRail(PUSH), callbacks: false }, 'ref-1')).toBeNull()
  })
})

test.each([
  [undefined, 10_000, true],
  [120, 120, true],
  [120, 121, false],
] as const)('a rail that takes %s characters takes an address of %d: %j', (urlCharsMax, length, taken) => {
  const rail = makeRail(REDIRECT, urlCharsMax === undefined ? {} : { urlCharsMax })
  expect(takesUrl(rail, `${base}/`.padEnd(length, 'x'))).toBe(taken)
})

describe('a rail is out of reach', () => {
  const railsOf = (...rails: RailAdapter[]) => new Map(rails.map((rail) => [rail.code, rail]))
  const { length: longest } =
    `${base}/provider/redirect_rail/callback?ref=00000000-0000-4000-8000-000000000000`

  test('only if the callback of a charge has a longer address than it takes', () => {
    const fits = railsOf(makeRail(REDIRECT, { urlCharsMax: longest }), makeRail(PUSH))
    expect(railsOutOfReach(base, fits)).toEqual([])
    const tooLong = railsOf(makeRail(REDIRECT, { urlCharsMax: longest - 1 }), makeRail(PUSH))
    expect(railsOutOfReach(base, tooLong)).toEqual([REDIRECT])
  })

  test('never where the deployment takes no callbacks', () => {
    const silent = railsOf({ ...makeRail(REDIRECT, { urlCharsMax: 1 }), callbacks: false })
    expect(railsOutOfReach(base, silent)).toEqual([])
  })
})

test.each([
  ['https://203.0.113.9', [REDIRECT]],
  ['https://[2001:db8::9]', [REDIRECT]],
  ['https://localhost:8443', [REDIRECT]],
  [base, []],
])('%s is a host that these of two rails refuse: %j', (baseUrl, refusing) => {
  const rails = [makeRail(PUSH), makeRail(REDIRECT, { namedHostsOnly: true })]
  expect(railsRefusingHost(baseUrl, new Map(rails.map((rail) => [rail.code, rail])))).toEqual(refusing)
})
