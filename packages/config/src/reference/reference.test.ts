import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { generateKeyPairSync } from 'node:crypto'
import { load } from 'js-yaml'
import { loadConfig } from '../index.ts'
import { configurationFiles, inRepository } from './files.ts'
import { configSchema } from './json-schema.ts'
import { findSettings, listSettings } from './settings.ts'

const example = inRepository('docs/configuration.example.yaml')

test.each(Object.entries(configurationFiles))(
  '%s matches the schema: `npx pnpm@12 configuration` writes it again',
  (path, text) => {
    expect(readFileSync(inRepository(path), 'utf8')).toBe(text())
  },
)

test('each setting has a description, a type, and a default unless it is required', () => {
  const settings = listSettings()
  expect(settings.length).toBeGreaterThan(80)
  const incomplete = settings.filter(
    ({ description, type }) => !/^[A-Z`].*\.$/s.test(description) || !/[\w`]$/.test(type),
  )
  expect(incomplete).toEqual([])
})

test('a setting shows its type, unit, default, section and what livemode refuses', () => {
  expect(findSettings('worker.poll_interval_ms')).toEqual([
    {
      key: 'worker.poll_interval_ms',
      adapter: null,
      description:
        'How often the worker looks for work that nothing announced. After a minute without work it looks once a second, or this often if that is rarer.',
      type: 'integer from 50 to 5000 ms',
      isRequired: false,
      default: '`200`',
      section: '6.3.1',
      liveRefusals: [],
    },
  ])
  expect(findSettings('merchant_clients[0].webhooks[1].secrets')).toMatchObject([
    {
      key: 'merchant_clients[].webhooks[].secrets',
      type: 'list of text or `{ env: NAME }`',
      isRequired: true,
      liveRefusals: ['an endpoint secret in the file', 'a short endpoint secret'],
    },
  ])
  expect(findSettings('signing_key')).toMatchObject([{ type: '`{ env: NAME }`', isRequired: true }])
})

test.each(['signing_key', 'staff.client_key', 'merchant_clients[0].jwks.keys'])(
  '%s has the bounds of an RSA key',
  (key) => {
    const [setting] = findSettings(key)
    expect(setting?.description).toContain(
      '2048 to 8192 bits, with a public exponent from 65537 to 4294967295.',
    )
  },
)

test('a setting of a rail is found by the rail’s code, once for each adapter that has it', () => {
  expect(findSettings('rails.mtn_momo_cm.base_url').map(({ adapter }) => adapter)).toEqual([
    'mtn_momo',
    'orange_money',
  ])
  expect(findSettings('rails.mtn_momo_cm.collection.api_user')).toHaveLength(1)
  expect(findSettings('rails.mtn_momo_cm.nothing')).toEqual([])
})

test('the JSON Schema requires what the schema requires, and knows references', () => {
  expect(configSchema()).toMatchObject({
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    additionalProperties: false,
    required: [
      'livemode',
      'public_base_url',
      'database',
      'client_secret_keys',
      'signing_key',
      'merchant_clients',
      'rails',
    ],
    properties: {
      worker: {
        properties: {
          poll_interval_ms: {
            description:
              'How often the worker looks for work that nothing announced. After a minute without work it looks once a second, or this often if that is rarer. In ms. Specification, section 6.3.1.',
            default: 200,
          },
        },
      },
      signing_key: { type: 'object', required: ['env'] },
    },
  })
  expect(JSON.stringify(configSchema())).not.toMatch(/"(?:unit|section|absent)":/)
})

test('the example names its schema in its first line, loads, and has every top-level key', () => {
  const text = readFileSync(example, 'utf8')
  expect(text.split('\n')[0]).toBe('# yaml-language-server: $schema=./configuration.schema.json')

  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const references = [...text.matchAll(/\{ env: (\w+) \}/g)].map(([, name = '']) => name)
  const env = {
    ...Object.fromEntries(references.map((name, index) => [name, `${name}-${index}`.padEnd(32, '.')])),
    DATABASE_URL: 'postgres://payments@db.internal/payments?sslmode=verify-full',
    SIGNING_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
  const config = loadConfig(fileURLToPath(example), env)
  expect(config.livemode).toBe(true)
  expect(config.merchantClients.map(({ clientId }) => clientId)).toEqual(['shop'])
  expect(config.rails.map(({ code }) => code)).toEqual(['mtn_momo_cm', 'orange_money_cm'])
  const topLevel = listSettings().filter(({ key }) => /^\w+$/.test(key))
  expect(Object.keys(load(text) as object).toSorted()).toEqual(topLevel.map(({ key }) => key).toSorted())
})
