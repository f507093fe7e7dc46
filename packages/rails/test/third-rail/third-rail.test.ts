import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ConfigError, loadConfigOf, railShapes } from '@merchant-payments/config'
import { testFolder } from '@merchant-payments/testing/test-folder'
import { expect, onTestFinished, test } from 'vitest'
import { openers, openRailsBy } from '../../src/open-rails.ts'
import { atRail, charge } from '../open-rail.ts'
import { json, NOW_MS, openOperator } from '../operator.ts'
import { openVoucherDesk } from './adapter.ts'
import { voucherDesk } from './shape.ts'

/** All that a third adapter adds outside its own folder: a line in each of two tables. */
const shapes = { ...railShapes, voucher_desk: voucherDesk }
const table = { ...openers, voucher_desk: openVoucherDesk }

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const env = {
  DATABASE_URL: 'postgres://127.0.0.1/payments',
  CLIENT_SECRET_KEY: 'k'.repeat(32),
  SIGNING_KEY: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  MTN_KEY: 'key',
}

const voucherRail = (baseUrl: string) => ({
  adapter: 'voucher_desk',
  display_name: 'Vouchers',
  settlement_currency: 'XAF',
  base_url: baseUrl,
  desk: 'douala-1',
})

/** A deployment with a rail of MTN's, and one of the third adapter. */
async function load(voucher: object, livemode = false) {
  const folder = await testFolder()
  const path = join(folder, 'deployment.yaml')
  const mtn = {
    adapter: 'mtn_momo',
    display_name: 'MTN Mobile Money',
    settlement_currency: 'XAF',
    base_url: 'https://proxy.momoapi.example',
    target_environment: 'mtncameroon',
    collection: { subscription_keys: [{ env: 'MTN_KEY' }], api_user: 'd1a0', api_key: { env: 'MTN_KEY' } },
  }
  // JSON is valid YAML.
  const document = {
    livemode,
    public_base_url: 'https://pay.example',
    database: { url: { env: 'DATABASE_URL' } },
    client_secret_keys: [{ version: 1, key: { env: 'CLIENT_SECRET_KEY' } }],
    signing_key: { env: 'SIGNING_KEY' },
    merchant_clients: [],
    rails: { mtn_momo_cm: mtn, vouchers_cm: voucher },
  }
  await writeFile(path, JSON.stringify(document))
  return loadConfigOf(shapes, path, env)
}

test('a third rail is configured, opened, paid and queried beside the others', async () => {
  const { baseUrl, calls } = await openOperator(
    {
      stepOf: (method) => (method === 'POST' ? 'submit' : 'query'),
      ordinary: { submit: json(201, {}), query: json(200, { state: 'waiting' }) },
    },
    { query: [json(200, { state: 'waiting' }), json(200, { state: 'cashed' })] },
  )
  const config = await load(voucherRail(baseUrl))
  const rails = openRailsBy<typeof shapes>(table, config.rails, () => NOW_MS)
  onTestFinished(async () => {
    for (const rail of rails.values()) await rail.close()
  })
  const rail = [...rails.values()].find(({ displayName }) => displayName === 'Vouchers')

  expect([...rails.keys()]).toEqual(['mtn_momo_cm', 'vouchers_cm'])
  expect(await rail?.submitCharge(charge)).toMatchObject({ kind: 'accepted' })
  expect(await rail?.queryCharge(atRail)).toEqual({ kind: 'pending' })
  expect(await rail?.queryCharge(atRail)).toMatchObject({ kind: 'succeeded' })
  expect(calls.map(({ path, body }) => [path, body])).toEqual([
    [`/desks/douala-1/charges/${charge.reference}`, '{"amount":1000}'],
    [`/desks/douala-1/charges/${charge.reference}`, ''],
    [`/desks/douala-1/charges/${charge.reference}`, ''],
  ])
})

test.each([
  ['an unknown field', { ...voucherRail('https://desk.example'), clerk: 7 }, 'rails.vouchers_cm.clerk'],
  ['a missing field', { ...voucherRail('https://desk.example'), desk: undefined }, 'rails.vouchers_cm.desk'],
  ['a test host in livemode', voucherRail('https://wiremock.example'), 'rails.vouchers_cm.base_url'],
])('its configuration must match its shape: %s is a fault', async (_what, rail, path) => {
  const faults = await load(rail, true).catch((error: unknown) => (error as ConfigError).faults)
  expect(faults).toMatchObject([{ path }])
})
