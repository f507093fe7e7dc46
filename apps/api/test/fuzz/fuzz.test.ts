import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { findViolations } from '@merchant-payments/testing/invariants'
import { soakOf } from '@merchant-payments/testing/soaks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openCheckoutPage } from '../../src/checkout-page/page.ts'
import { fanOutAll } from '../fan-out.ts'
import { settle, startTestApi } from '../harness.ts'
import { fuzz, type FuzzReport } from './run.ts'
import { FILE, targets } from './targets.ts'

/** `FUZZ_REQUESTS=100000 RANDOM_SEED=7` makes a larger run, or one again. */
const { size: REQUESTS, seed: SEED } = soakOf('fuzzRequests')

const folder = mkdtempSync(join(tmpdir(), 'fuzzed-page-'))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<!doctype html>')
writeFileSync(join(folder, 'headers.json'), '{}')
writeFileSync(join(folder, 'assets', basename(FILE)), 'export const paid = true')

const api = await startTestApi({ checkoutPage: await openCheckoutPage(folder) })
afterAll(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

describe(`${REQUESTS} requests of all kinds, RANDOM_SEED=${SEED}:`, () => {
  let report: FuzzReport
  beforeAll(
    async () => {
      report = await fuzz(api, SEED, REQUESTS)
    },
    60_000 + REQUESTS * 20,
  )

  test('no answer is an internal error, lacks the envelope, or reveals internals [§7.1, §7.2]', () => {
    expect(report.faults).toEqual([])
  })

  test('nearly every request was answered, also malformed HTTP', () => {
    expect(report.unanswered).toBeLessThan(REQUESTS / 20)
  })

  test('the run reached every status and each route', () => {
    expect([...report.statuses]).toEqual(
      expect.arrayContaining([200, 201, 304, 400, 401, 403, 404, 405, 409, 412, 413]),
    )
    const outside = [401, 403, 405, 413]
    const unreached = targets
      .filter(({ name }) => !name.startsWith('no '))
      .filter(({ name }) =>
        [...(report.statusesOf.get(name) ?? [])].every((status) => outside.includes(status)),
      )
    expect(unreached.map(({ name }) => name)).toEqual([])
  })

  test('the service is unchanged, and every invariant holds', async () => {
    expect((await api.call({ path: '/healthz' })).status).toBe(200)
    while ((await settle(api)).claimed > 0);
    await fanOutAll(api)
    const { debits, credits } = await api.mock.control.getLedger()
    const { databaseUrl } = api
    const evidence = { databaseUrl, debits, credits, journal: [], received: null, endpoints: 0 }
    expect(await findViolations(evidence)).toEqual([])
  })
})
