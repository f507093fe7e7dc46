import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { listSettings } from '../src/reference/index.ts'
import { pemOf, publicJwkOf, load, merchantKey, serviceKey } from './fixture.ts'

const page = readFileSync(new URL('../../../docs/operations.md', import.meta.url), 'utf8')

/** The text below a heading of the third level. */
const sectionOf = (heading: string): string =>
  page.split(`\n### ${heading}\n`)[1]?.split(/^#{2,3} /m)[0] ?? ''

const yamlOf = (heading: string): string => /^```yaml\n([^]*?)^```$/m.exec(sectionOf(heading))?.[1] ?? ''

const env = {
  DATABASE_URL:
    'postgres://payments_service:secret@db-1,db-2,db-3/payments?sslmode=verify-full&target_session_attrs=read-write',
  CLIENT_SECRET_KEY_1: 'k'.repeat(44),
  SIGNING_KEY: pemOf(serviceKey),
  MTN_KEY_1: 'one',
  MTN_KEY_2: 'two',
  MTN_API_KEY: 'key',
  MTN_DISBURSEMENT_KEY: 'three',
  SHOP_WEBHOOK_SECRET_1: 's'.repeat(44),
}

test('the configuration of the runbook "Deploy" is accepted in livemode, also with the merchant of "Add a merchant"', () => {
  const deployed = yamlOf('Deploy')
  expect(load(deployed, env)).toMatchObject({
    livemode: true,
    merchantClients: [],
    // The runbook's last step takes a refund.
    rails: [{ code: 'mtn_momo_cm', disbursement: { subscriptionKeys: expect.any(Array) as unknown } }],
  })
  const merchant = yamlOf('Add a merchant').replace('n: …', `n: ${publicJwkOf(merchantKey).n}`)
  const both = deployed.replace('merchant_clients: []\n', merchant)
  expect(load(both, env).merchantClients).toMatchObject([{ clientId: 'shop' }])
})

/** They come from the environment, where a deployment may keep them, and name an account. */
const isName = /\.(?:api_user|client_id)$/

test('the runbook "Rotate a secret" has a row for every secret of the configuration', () => {
  const secrets = listSettings()
    .filter(({ key, type }) => type.includes('{ env: NAME }') && !isName.test(key))
    .map(({ key }) => key.replace('<code>', '*'))
  expect(secrets).toContain('rails.*.collection.api_key')
  expect(secrets).toContain('database.url')
  const cells = sectionOf('Rotate a secret')
    .split('\n')
    .map((line) => line.split(' | ')[0] ?? '')
  const missing = secrets.filter(
    (key) => !cells.some((cell) => [key, `${key}[]`].some((name) => cell.includes(`\`${name}\``))),
  )
  expect(missing).toEqual([])
})
