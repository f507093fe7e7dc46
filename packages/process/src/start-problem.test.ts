import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  DatabaseAwayError,
  PostgresTooOldError,
  SchemaBehindError,
  WrongEncodingError,
} from '@merchant-payments/db'
import { describe, expect, onTestFinished, test } from 'vitest'
import { listen } from './listen.ts'
import { requireNode, startProblemOf } from './start-problem.ts'

const thrownBy = (work: () => void): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  return expect.unreachable()
}

describe('startProblemOf', () => {
  test('an old Node: its version and the one that is needed, and 78', () => {
    expect(startProblemOf(thrownBy(() => requireNode('22.18.0')))).toEqual({
      reason: 'node_too_old',
      hint: 'Node 22.18.0 is too old: use Node 24 or newer',
      exitCode: 78,
    })
    expect(() => requireNode()).not.toThrow()
    expect(() => requireNode('100.0.0')).not.toThrow()
  })

  test.each([
    ['an old PostgreSQL', new PostgresTooOldError(), 'postgres_too_old', 78],
    ['a database in LATIN1', new WrongEncodingError('its encoding is LATIN1'), 'wrong_encoding', 78],
    ['a database that is down', new DatabaseAwayError('connect_failed', 'x'), 'database_away', 69],
    ['a missing role', Object.assign(new Error('x'), { code: '28000' }), 'database_refused', 69],
    ['a missing database', Object.assign(new Error('x'), { code: '3D000' }), 'database_refused', 69],
    ['a missing migration', new SchemaBehindError('x'), 'schema_behind', 69],
    ['a database without tables', Object.assign(new Error('x'), { code: '42P01' }), 'schema_behind', 69],
  ])('%s has its reason, a hint and its exit code', (_what, error, reason, exitCode) => {
    expect(startProblemOf(error)).toEqual({ reason, hint: expect.stringMatching(/\w: \w|use/), exitCode })
  })

  test('a port in use: its address, and 69', async () => {
    const first = createServer().listen(0, '127.0.0.1')
    onTestFinished(() => void first.close())
    await once(first, 'listening')
    const { port } = first.address() as AddressInfo
    const refused = listen(createServer(), { host: '127.0.0.1', port }).catch((error: unknown) => error)
    expect(startProblemOf(await refused)).toEqual({
      reason: 'port_in_use',
      hint: `another process listens at 127.0.0.1, port ${port}: stop it, or give this one another port (--help lists the options)`,
      exitCode: 69,
    })
  })

  test('an address that this machine does not have: 78', async () => {
    // TEST-NET-1 of RFC 5737.
    const refused = listen(createServer(), { host: '192.0.2.1', port: 0 }).catch((error: unknown) => error)
    expect(startProblemOf(await refused)).toMatchObject({ reason: 'port_refused', exitCode: 78 })
  })

  test('any other error is a bug', () => {
    expect(startProblemOf(new TypeError('x'))).toBeNull()
    expect(startProblemOf('x')).toBeNull()
  })
})
