import { createPublicKey } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  canary,
  env,
  faultsOf,
  good,
  jwkOf,
  load,
  merchantKey,
  otherKey,
  pemOf,
  publicJwkOf,
  railOf,
  serviceKey,
  spoiled,
  temporaryFolder,
} from '../test/fixture.ts'
import type { Path } from './path.ts'

const keys = ['merchant_clients', 0, 'jwks', 'keys'] as const

describe('a good file', () => {
  test('is given in camelCase, with defaults and references resolved', () => {
    const config = load(good())
    expect({
      ...config,
      clientSecretKeys: null,
      signingKey: null,
      merchantClients: null,
      rails: null,
      staff: null,
      database: null,
    }).toEqual({
      livemode: true,
      publicBaseUrl: 'https://pay.example',
      database: null,
      listen: { host: '127.0.0.1', port: 8080 },
      clientSecretKeys: null,
      signingKey: null,
      merchantClients: null,
      rails: null,
      browser: { accountHolders: false },
      statements: [
        {
          rail: 'mtn_momo_cm',
          delimiter: ',',
          utcOffset: '+01:00',
          date: 'Date',
          dayFirst: false,
          status: 'Status',
          succeeded: ['Successful'],
          type: 'Type',
          charges: ['Debit'],
          payouts: [],
          transaction: 'Id',
          amount: ['Amount'],
          defaultCurrency: 'XAF',
        },
      ],
      staff: null,
      webhooks: { allowPrivateTargets: false },
      retentionDays: 400,
      phone: { defaultCountryCode: '237' },
      worker: { pollIntervalMs: 200 },
      compat: {},
      log: { level: 'info' },
    })
    const { url, ...database } = config.database
    expect(url.reveal()).toBe(env.DATABASE_URL)
    expect(database).toEqual({
      sharedBy: { apis: 2, workers: 2 },
      readConnections: 4,
      namedStatements: true,
      migrateOnBoot: false,
    })
  })

  test('gives the keys of client secrets in their order', () => {
    const next = { version: 2, key: { env: 'NEXT_CLIENT_SECRET_KEY' } }
    const { clientSecretKeys } = load(spoiled([['client_secret_keys', 1], next]))
    expect(clientSecretKeys.map(({ version, key }) => [version, key.reveal()])).toEqual([
      [1, env.CLIENT_SECRET_KEY],
      [2, env.NEXT_CLIENT_SECRET_KEY],
    ])
  })

  test('gives a merchant its keys by kid, and its secrets', () => {
    const [shop] = load(good()).merchantClients
    expect(shop?.jwks.get('one')?.equals(createPublicKey(merchantKey))).toBe(true)
    expect({ ...shop, jwks: null, webhooks: null }).toEqual({
      clientId: 'shop',
      name: 'A shop',
      brand: { accentColor: null, logo: null },
      jwks: null,
      scopes: ['payments:read', 'payments:write'],
      audiences: ['service:v1'],
      publishableKey: 'pk_shop',
      webhooks: null,
    })
    expect(
      shop?.webhooks.map(({ secrets, ...hook }) => ({ ...hook, secrets: secrets.map((s) => s.reveal()) })),
    ).toEqual([{ id: 'main', url: 'https://shop.example/hooks?a=b', secrets: [env.WEBHOOK_SECRET] }])
  })

  test('gives the looks of a merchant', () => {
    const logo = 'data:image/png;base64,iVBORw0KGgo='
    const client: Path = ['merchant_clients', 0, 'brand']
    const [plain] = load(good()).merchantClients
    expect(plain?.brand).toEqual({ accentColor: null, logo: null })
    const [branded] = load(spoiled([client, { accent_color: '#6a1b9a', logo }])).merchantClients
    expect(branded?.brand).toEqual({ accentColor: '#6a1b9a', logo })
  })

  test('gives rails as a list, each with its code', () => {
    const { rails } = load(good())
    expect(rails.map(({ code }) => code)).toEqual(['mtn_momo_cm', 'orange_money_cm'])
  })

  test('gives an MTN Mobile Money rail', () => {
    const momo = railOf(load(good()), 'mtn_momo')
    expect({ ...momo, collection: null }).toEqual({
      adapter: 'mtn_momo',
      code: 'mtn_momo_cm',
      displayName: 'MTN Mobile Money',
      settlementCurrency: 'XAF',
      wireCurrency: 'XAF',
      baseUrl: 'https://proxy.momoapi.example',
      targetEnvironment: 'mtncameroon',
      collection: null,
      disbursement: null,
      callbacks: true,
      approvalWindowSec: 300,
      display: {
        name: { fr: 'MTN Mobile Money', en: 'MTN Mobile Money' },
        color: '#ffcc00',
        numberPrefixes: [
          '23767',
          '237650',
          '237651',
          '237652',
          '237653',
          '237654',
          '237680',
          '237681',
          '237682',
          '237683',
        ],
        payeeNumber: null,
        prompt: { mode: 'automatic', dial: '*126#', payeeName: null, hint: null },
      },
      connectTimeoutMs: 5_000,
      totalTimeoutMs: 20_000,
      maxConnections: 64,
      firstQueryAfterMs: 2_000,
    })
    expect(momo.collection.subscriptionKeys.map((key) => key?.reveal())).toEqual([env.MTN_KEY])
    expect([momo.collection.apiUser, momo.collection.apiKey.reveal()]).toEqual(['d1a0', env.MTN_KEY])
  })

  test('gives an Orange Money rail', () => {
    const { merchantKey, clientSecret, ...orange } = railOf(load(good()), 'orange_money')
    expect(orange).toEqual({
      adapter: 'orange_money',
      code: 'orange_money_cm',
      displayName: 'Orange Money',
      settlementCurrency: 'XAF',
      baseUrl: 'https://api.orange.example',
      country: 'cm',
      clientId: 'c1f0',
      lang: 'fr',
      approvalWindowSec: 600,
      display: {
        name: { fr: 'Orange Money', en: 'Orange Money' },
        color: '#ff7900',
        numberPrefixes: ['23769', '237640', '237655', '237656', '237657', '237658', '237659'],
        payeeNumber: null,
        prompt: null,
      },
      connectTimeoutMs: 5_000,
      totalTimeoutMs: 20_000,
      maxConnections: 64,
      firstQueryAfterMs: 10_000,
    })
    expect([merchantKey.reveal(), clientSecret.reveal()]).toEqual([env.ORANGE_KEY, env.ORANGE_KEY])
  })

  test('gives what payers are told of a rail, as the file has it', () => {
    const momo: Path = ['rails', 'mtn_momo_cm']
    const name = { fr: 'Argent mobile', en: 'Mobile money' }
    const hint = { fr: 'Composez le code.', en: 'Dial the code.' }
    const prompt = { mode: 'manual', dial: '*105*8#', payee_name: 'ACME SARL', hint }
    const display = { name, color: null, number_prefixes: ['24206'], payee_number: '242066000000', prompt }
    const changed = spoiled([[...momo, 'display'], display], [[...momo, 'approval_window_sec'], 120])
    expect(railOf(load(changed), 'mtn_momo')).toMatchObject({
      approvalWindowSec: 120,
      display: {
        name,
        color: null,
        numberPrefixes: ['24206'],
        payeeNumber: '242066000000',
        prompt: { mode: 'manual', dial: '*105*8#', payeeName: 'ACME SARL', hint },
      },
    })
  })

  test('knows no code to dial and no numbers of a country that it does not know', () => {
    const elsewhere = spoiled([['rails', 'mtn_momo_cm', 'target_environment'], 'mtncongo'])
    const { numberPrefixes, prompt } = railOf(load(elsewhere), 'mtn_momo').display
    expect([prompt.dial, numberPrefixes]).toEqual([null, []])
  })

  test('may be written with comments and anchors', () => {
    const text = `# The shop\n${JSON.stringify(spoiled([['livemode'], '*live'])).replace('"*live"', '&live true')}`
    expect(load(text).livemode).toBe(true)
  })
})

describe('staff', () => {
  test('have a provider and roles, whose names stay as they are spelled', () => {
    const { staff } = load(good())
    expect(staff).toMatchObject({
      issuer: 'https://login.example/realm',
      clientId: 'dashboard',
      roleClaim: 'roles',
      roles: new Map([
        ['pay_admins', 'admin'],
        ['pay_support', 'viewer'],
      ]),
      stepUp: { maxAgeSec: 300, acrValues: ['urn:mfa'] },
      limits: { operator: { refunds: { count: 20, amount: { XAF: 500_000 } } } },
    })
    const { credential } = staff ?? {}
    expect(credential?.kind === 'secret' && credential.secret.reveal()).toBe(env.STAFF_SECRET)
  })

  test('may have a client with a key instead of a secret', () => {
    const { staff } = load(
      spoiled([['staff', 'client_secret'], undefined], [['staff', 'client_key'], { env: 'CLIENT_KEY' }]),
      { ...env, CLIENT_KEY: pemOf(otherKey) },
    )
    const { credential } = staff ?? {}
    expect(credential?.kind === 'key' && credential.key.privateKey.equals(otherKey)).toBe(true)
  })

  test('have no limits that are not named', () => {
    expect(load(spoiled([['staff', 'limits'], undefined])).staff?.limits).toEqual({})
  })

  test('need not be there', () => {
    expect(load(spoiled([['staff'], undefined])).staff).toBeUndefined()
  })
})

describe('the signing key', () => {
  // RFC 7638, section 3.1: the example key and its thumbprint.
  const rfc7638 = {
    kty: 'RSA',
    n: '0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw',
    e: 'AQAB',
  }

  test('of a merchant is known by its thumbprint when it has no kid', () => {
    const [shop] = load(spoiled([[...keys, 0], rfc7638])).merchantClients
    expect([...(shop?.jwks.keys() ?? [])]).toEqual(['NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs'])
  })

  // Livemode refuses it as a merchant's.
  const thumbprint = () =>
    [
      ...(load(
        spoiled([['livemode'], false], [[...keys, 0], publicJwkOf(serviceKey)]),
      ).merchantClients[0]?.jwks.keys() ?? []),
    ][0]

  test.each([
    ['a PEM', pemOf(serviceKey), thumbprint],
    ['a JWK', JSON.stringify(jwkOf(serviceKey)), thumbprint],
    ['a JWK with a kid', JSON.stringify({ ...jwkOf(serviceKey), kid: 'two' }), () => 'two'],
  ])('may be %s', (_, text, kid) => {
    const { signingKey } = load(good(), { ...env, SIGNING_KEY: text })
    expect(signingKey.kid).toBe(kid())
    expect(signingKey.privateKey.equals(serviceKey)).toBe(true)
  })
})

describe('a reference', () => {
  const withFile = (text: string) => {
    const path = join(temporaryFolder(), 'secret')
    writeFileSync(path, text)
    return { ...env, MTN_KEY: undefined, MTN_KEY_FILE: path }
  }

  test.each([
    ['one\n', 'one'],
    ['one\r\n', 'one'],
    ['one\n\n', 'one\n'],
    [' one ', ' one '],
  ])('reads the file of NAME_FILE when NAME is not set, less one newline: %j', (text, value) => {
    const momo = railOf(load(good(), withFile(text)), 'mtn_momo')
    expect(momo.collection.apiKey.reveal()).toBe(value)
  })

  test('prefers NAME to NAME_FILE', () => {
    const config = load(good(), { ...withFile('from the file'), MTN_KEY: 'from the variable' })
    expect(railOf(config, 'mtn_momo').collection.apiKey.reveal()).toBe('from the variable')
  })

  test.each([
    ['empty', '\n', 'is empty'],
    ['missing', null, 'the file of MTN_KEY_FILE cannot be read'],
  ])('to a file that is %s is a fault', (_, text, message) => {
    const environment =
      text === null
        ? { ...env, MTN_KEY: undefined, MTN_KEY_FILE: join(temporaryFolder(), 'none') }
        : withFile(text)
    expect(faultsOf(good(), environment)).toEqual([
      { path: 'rails.mtn_momo_cm.collection.subscription_keys[0]', message },
      { path: 'rails.mtn_momo_cm.collection.api_key', message },
    ])
  })
})

describe('a reference to a variable that is not set', () => {
  test.each([
    ['DATABASE_URL', 'DATABASE_URL is not set, and neither is DATABASE_URL_FILE'],
    // A secret instead of the variable's name.
    [
      'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
      'names a variable that is not set, and neither is the one with _FILE after its name',
    ],
    [
      'whsec_dGhpcyBpcyBub3Q',
      'names a variable that is not set, and neither is the one with _FILE after its name',
    ],
  ])('names it if it is a name and no secret: %s', (name, message) => {
    const document = spoiled([['database', 'url'], { env: name }])
    expect(faultsOf(document, { ...env, DATABASE_URL: undefined })).toEqual([
      { path: 'database.url', message },
    ])
  })
})

test('a configuration that is printed shows no secret', () => {
  const config = load(good())
  const printed = inspect(config, { depth: null, showHidden: true }) + JSON.stringify(config)
  expect(printed).toContain('pk_shop')
  expect(printed).not.toContain(canary)
  expect(printed).not.toContain(jwkOf(serviceKey)['d'])
})
