import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import {
  canary,
  env,
  faultsOf,
  good,
  jwkOf,
  merchantKey,
  otherKey,
  publicJwkOf,
  rail,
  shortKey,
  spoiled,
  temporaryFolder,
  weakKey,
} from '../test/fixture.ts'
import { ConfigError } from './faults.ts'
import { loadConfig } from './load-config.ts'
import { type Path, spelled } from './path.ts'

const keys: Path = ['merchant_clients', 0, 'jwks', 'keys']
const brand: Path = ['merchant_clients', 0, 'brand']
const hook: Path = ['merchant_clients', 0, 'webhooks', 0]
const momo: Path = ['rails', 'mtn_momo_cm']
const orange: Path = ['rails', 'orange_money_cm']

const address = (parameter: string, servers = 'db.internal') =>
  `postgres://api@${servers}/payments?sslmode=verify-full&target_session_attrs=read-write&${parameter}`

const base64url = (bytes: Buffer) => bytes.toString('base64url')

const statementsOf = ({ statements: [first] }: ReturnType<typeof good>) => first

const faulty: [what: string, at: Path, value: unknown, path?: string][] = [
  ['an unknown key', ['live_mode'], true],
  ['an unknown key below', ['database', 'pool'], 3],
  ['livemode as text', ['livemode'], 'yes'],
  ['no livemode', ['livemode'], undefined],
  ['no public base URL', ['public_base_url'], undefined],
  ['a public base URL with a slash', ['public_base_url'], 'https://pay.example/'],
  ['a public base URL with a path', ['public_base_url'], 'https://pay.example/api'],
  ['a public base URL in another spelling', ['public_base_url'], 'https://Pay.example:443'],
  ['an invalid public base URL', ['public_base_url'], 'pay.example'],
  ['a public base URL of another kind', ['public_base_url'], 'ftp://pay.example'],
  ['no database', ['database', 'url'], undefined],
  ['a variable that is not set', ['database', 'url'], { env: 'NOT_SET' }],
  ['a variable that is empty', ['database', 'url'], { env: 'EMPTY' }],
  ['a variable with an impossible name', ['database', 'url'], { env: 'NOT A NAME' }],
  ['a reference with more', ['database', 'url'], { env: 'DATABASE_URL', default: 'x' }],
  ['several servers of any kind', ['database', 'url'], { env: 'STANDBYS_TOO' }],
  ['several standbys for reads', ['database', 'reader_url'], { env: 'STANDBYS_TOO' }],
  ['options of the server in the address', ['database', 'url'], address('options=-c%20work_mem%3D8MB')],
  ['a time-out in the address', ['database', 'url'], address('statement_timeout=0')],
  ['another name in the address', ['database', 'reader_url'], address('application_name=x')],
  ['a time-out for several servers', ['database', 'url'], address('lock_timeout=0', 'db-1,db-2')],
  ['no connections', ['database', 'pool_size'], 0],
  ['half a connection', ['database', 'pool_size'], 1.5],
  ['a port out of range', ['listen'], { port: 65_536 }, 'listen.port'],
  ['an internal address without a port', ['internal_listen'], {}, 'internal_listen.port'],
  ['no keys of client secrets', ['client_secret_keys'], []],
  ['a key of client secrets in the file', ['client_secret_keys', 0, 'key'], env.CLIENT_SECRET_KEY],
  ['a short key of client secrets', ['client_secret_keys', 0, 'key'], { env: 'SHORT_SECRET' }],
  ['a key of client secrets without a version', ['client_secret_keys', 0, 'version'], undefined],
  ['a key of client secrets of version 0', ['client_secret_keys', 0, 'version'], 0],
  ['a key of client secrets whose version is too long', ['client_secret_keys', 0, 'version'], 10_000],
  [
    'two keys of client secrets of one version',
    ['client_secret_keys', 1],
    { version: 1, key: { env: 'NEXT_CLIENT_SECRET_KEY' } },
    'client_secret_keys',
  ],
  ['a signing key in the file', ['signing_key'], env.SIGNING_KEY],
  ['an invalid signing key', ['signing_key'], { env: 'NO_SIGNING_KEY' }],
  ['a public signing key', ['signing_key'], { env: 'PUBLIC_SIGNING_KEY' }],
  ['a short signing key', ['signing_key'], { env: 'SHORT_SIGNING_KEY' }],
  ['a signing key with a small exponent', ['signing_key'], { env: 'WEAK_SIGNING_KEY' }],
  ['a signing key that is not RSA', ['signing_key'], { env: 'EC_SIGNING_KEY' }],
  ['no clients', ['merchant_clients'], undefined],
  ['a client id with a space', ['merchant_clients', 0, 'client_id'], 'my shop'],
  ['a client id that is too long', ['merchant_clients', 0, 'client_id'], 'a'.repeat(65)],
  ['a client id that paths reserve', ['merchant_clients', 0, 'client_id'], 'search'],
  ['a client id that browsers remove from paths', ['merchant_clients', 0, 'client_id'], '..'],
  ['a client id of one dot', ['merchant_clients', 0, 'client_id'], '.'],
  ['a client id given twice', ['merchant_clients', 1, 'client_id'], 'shop'],
  ['a publishable key given twice', ['merchant_clients', 1, 'publishable_key'], 'pk_shop'],
  ['a publishable key of another kind', ['merchant_clients', 0, 'publishable_key'], 'sk_shop'],
  [
    'an accent color that is too light',
    brand,
    { accent_color: '#ff7900' },
    'merchant_clients[0].brand.accent_color',
  ],
  [
    'an accent color by its name',
    brand,
    { accent_color: 'purple' },
    'merchant_clients[0].brand.accent_color',
  ],
  ['a logo elsewhere', brand, { logo: 'https://shop.example/logo.png' }, 'merchant_clients[0].brand.logo'],
  ['a logo that is a page', brand, { logo: 'data:text/html;base64,PGI+' }, 'merchant_clients[0].brand.logo'],
  [
    'a logo of nine kilobytes',
    brand,
    { logo: `data:image/png;base64,${'A'.repeat(9_000)}` },
    'merchant_clients[0].brand.logo',
  ],
  ['a client without keys', keys, []],
  ['a short key', [...keys, 0], publicJwkOf(shortKey)],
  ['a key with a small exponent', [...keys, 0], publicJwkOf(weakKey)],
  ['a key with a large exponent', [...keys, 0], { ...publicJwkOf(merchantKey), e: 'AQAAAAE' }],
  [
    'a key with an exponent of the length of its modulus',
    [...keys, 0],
    { ...publicJwkOf(merchantKey), e: base64url(Buffer.alloc(256, 0x7f)) },
  ],
  ['a long key', [...keys, 0], { kty: 'RSA', n: base64url(Buffer.alloc(1_025, 0xff)), e: 'AQAB' }],
  [
    'a private key',
    [...keys, 0],
    { ...publicJwkOf(merchantKey), d: jwkOf(merchantKey)['d'] },
    'merchant_clients[0].jwks.keys[0].d',
  ],
  ['a key that is not RSA', [...keys, 0, 'kty'], 'EC'],
  ['a key of another algorithm', [...keys, 0, 'alg'], 'PS256'],
  ['a key that is noise', [...keys, 0, 'n'], '', 'merchant_clients[0].jwks.keys[0]'],
  ['a key for encryption', [...keys, 0, 'use'], 'enc'],
  [
    'a kid given twice',
    [...keys, 1],
    { ...publicJwkOf(otherKey), kid: 'one' },
    'merchant_clients[0].jwks.keys[1].kid',
  ],
  ['an identity provider with a query', ['staff', 'issuer'], 'https://login.example/?realm=a'],
  ['a client of staff without an id', ['staff', 'client_id'], ''],
  ['a secret of staff in the file', ['staff', 'client_secret'], 'in-the-file'],
  ['a client of staff without a credential', ['staff', 'client_secret'], undefined],
  ['a client of staff with a secret and a key', ['staff', 'client_key'], { env: 'SIGNING_KEY' }],
  ['no role for anybody', ['staff', 'roles'], {}],
  ['an unknown role', ['staff', 'roles', 'pay_support'], 'root'],
  ['a step-up without an age', ['staff', 'step_up', 'max_age_sec'], 0],
  ['a step-up that lasts for days', ['staff', 'step_up', 'max_age_sec'], 86_401],
  ['a strength of nothing', ['staff', 'step_up', 'acr_values'], []],
  ['a strength with a space', ['staff', 'step_up', 'acr_values', 0], 'a b'],
  ['the statements of a rail that is not there', ['statements', 0, 'rail'], 'mtn_momo_ga'],
  ['two statements of a rail', ['statements', 1], { ...statementsOf(good()) }, 'statements[1].rail'],
  ['a statement without an outcome of success', ['statements', 0, 'succeeded'], []],
  ['a statement without an amount', ['statements', 0, 'amount'], undefined],
  ['a statement with an amount and credits', ['statements', 0, 'credit'], ['In']],
  ['a statement with an amount and debits', ['statements', 0, 'debit'], ['Out']],
  [
    'a statement with credits alone',
    ['statements', 0],
    { ...statementsOf(good()), amount: undefined, credit: ['In'] },
    'statements[0].debit',
  ],
  [
    'a statement with debits alone',
    ['statements', 0],
    { ...statementsOf(good()), amount: undefined, debit: ['Out'] },
    'statements[0].credit',
  ],
  ['payouts of an unknown sign', ['statements', 0, 'payout_sign'], 'minus'],
  ['an invalid offset', ['statements', 0, 'utc_offset'], 'Douala'],
  ['a limit of a role that makes no change', ['staff', 'limits', 'viewer'], {}],
  ['a limit of nothing', ['staff', 'limits', 'operator', 'refunds', 'count'], 0],
  ['a limit that is no whole number', ['staff', 'limits', 'operator', 'rulings', 'amount', 'XAF'], 0.5],
  ['a limit in no currency of ours', ['staff', 'limits', 'admin', 'refunds', 'amount', 'USD'], 5],
  ['a dashboard below a path', ['staff', 'dashboard_base_url'], 'https://staff.example/dash'],
  ['an unknown scope', ['merchant_clients', 0, 'scopes', 1], 'payments:admin'],
  ['audiences without service:v1', ['merchant_clients', 0, 'audiences'], ['other:v1']],
  ['no audiences', ['merchant_clients', 0, 'audiences'], []],
  ['an endpoint with credentials', [...hook, 'url'], 'https://user:pass@shop.example'],
  ['an endpoint with a space before it', [...hook, 'url'], ' https://shop.example/webhooks'],
  ['an endpoint with one slash', [...hook, 'url'], 'https:/shop.example/webhooks'],
  ['an endpoint with backslashes', [...hook, 'url'], 'https:\\\\shop.example\\webhooks'],
  ['an endpoint with a user name', [...hook, 'url'], 'https://user@shop.example'],
  ['an endpoint with a fragment', [...hook, 'url'], 'https://shop.example/#hooks'],
  ['an endpoint that is no URL', [...hook, 'url'], '/hooks'],
  [
    'an endpoint id given twice',
    ['merchant_clients', 0, 'webhooks', 1],
    { ...good().merchant_clients[0]?.webhooks[0], secrets: [{ env: 'THIRD_WEBHOOK_SECRET' }] },
    'merchant_clients[0].webhooks[1].id',
  ],
  ['an endpoint without secrets', [...hook, 'secrets'], []],
  ['an endpoint with three secrets', [...hook, 'secrets'], [1, 2, 3].map(() => ({ env: 'WEBHOOK_SECRET' }))],
  ['a rail code in upper case', ['rails', 'MTN'], rail(), 'rails.MTN'],
  ['a rail code that paths reserve', ['rails', 'search'], rail(), 'rails.search'],
  ['an unknown adapter', [...momo, 'adapter'], 'm_pesa'],
  ['a rail in another currency', [...momo, 'settlement_currency'], 'USD'],
  ['a rail without keys', [...momo, 'collection', 'subscription_keys'], []],
  ['a rail key in the file', [...momo, 'collection', 'api_key'], canary],
  [
    'a rail with a name in one language',
    [...momo, 'display'],
    { name: { fr: 'MoMo' } },
    'rails.mtn_momo_cm.display.name.en',
  ],
  [
    'a prompt of another kind',
    [...momo, 'display'],
    { prompt: { mode: 'sms' } },
    'rails.mtn_momo_cm.display.prompt.mode',
  ],
  [
    'a code that nobody can dial',
    [...momo, 'display'],
    { prompt: { dial: 'tel:1' } },
    'rails.mtn_momo_cm.display.prompt.dial',
  ],
  [
    'a number without its country code',
    [...orange, 'display'],
    { number_prefixes: ['69x'] },
    'rails.orange_money_cm.display.number_prefixes[0]',
  ],
  [
    'a payee’s number in another spelling',
    [...orange, 'display'],
    { payee_number: '+237 6 90 00 00 01' },
    'rails.orange_money_cm.display.payee_number',
  ],
  [
    'a prompt on a rail that redirects',
    [...orange, 'display'],
    { prompt: {} },
    'rails.orange_money_cm.display.prompt',
  ],
  ['a rail with a window of a day', [...momo, 'approval_window_sec'], 86_400],
  ['a rail whose calls may outlast a stop', [...momo, 'total_timeout_ms'], 20_001],
  ['a rail with a field of another adapter', [...orange, 'target_environment'], 'mtncameroon'],
  ['Orange Money in euros', [...orange, 'settlement_currency'], 'EUR'],
  ['a country in capitals', [...orange, 'country'], 'CM'],
  ['a country that leads elsewhere', [...orange, 'country'], '../'],
  ['no country', [...orange, 'country'], undefined],
  ['a merchant key in the file', [...orange, 'merchant_key'], canary],
  ['a client secret in the file', [...orange, 'client_secret'], canary],
  ['another language', [...orange, 'lang'], 'de'],
  ['a country code with a plus', ['phone'], { default_country_code: '+23' }, 'phone.default_country_code'],
  ['a month that is not kept whole', ['retention_days'], 30],
  ['an age that no calendar knows', ['retention_days'], 36_501],
  ['an archive beside the working folder', ['archive_folder'], 'archive'],
  ['a collector that is no address', ['tracing'], { endpoint: 'collector:4318' }, 'tracing.endpoint'],
  [
    'the password of a collector',
    ['tracing'],
    { endpoint: `https://api:${canary}@collector.example` },
    'tracing.endpoint',
  ],
  [
    'more traces than there are',
    ['tracing'],
    { endpoint: 'https://collector.example', sample_ratio: 2 },
    'tracing.sample_ratio',
  ],
  ['a hasty worker', ['worker'], { poll_interval_ms: 49 }, 'worker.poll_interval_ms'],
  ['a slow worker', ['worker'], { poll_interval_ms: 5_001 }, 'worker.poll_interval_ms'],
  [
    'a header in upper case',
    ['compat'],
    { should_retry_header: 'Should-Retry' },
    'compat.should_retry_header',
  ],
  ['an unknown log level', ['log'], { level: 'verbose' }, 'log.level'],
]

describe('a bad file', () => {
  test.each(faulty)(
    'with %s is refused there and nowhere else [§5.1.3, §5.5, §6.3.1, §6.4]',
    (_, at, value, path = spelled(at)) => {
      expect(faultsOf(spoiled([at, value]))).toEqual([{ path, message: expect.stringMatching(/./) }])
    },
  )

  test.each([
    ['in the file', env.SIGNING_KEY],
    ['that is invalid', { env: 'NO_SIGNING_KEY' }],
    ['that is public', { env: 'PUBLIC_SIGNING_KEY' }],
    ['that is short', { env: 'SHORT_SIGNING_KEY' }],
    ['that is not RSA', { env: 'EC_SIGNING_KEY' }],
  ])('with a key of the staff’s client %s is refused there and nowhere else', (_, value) => {
    const document = spoiled([['staff', 'client_secret'], undefined], [['staff', 'client_key'], value])
    expect(faultsOf(document)).toEqual([{ path: 'staff.client_key', message: expect.stringMatching(/./) }])
  })

  test('with ten faults reports the ten', () => {
    const document = spoiled(
      [['live_mode'], true],
      [['public_base_url'], 'http://pay.example'],
      [['database', 'pool_size'], 0],
      [['signing_key'], { env: 'SHORT_SIGNING_KEY' }],
      [['merchant_clients', 0, 'name'], 7],
      [['merchant_clients', 1, 'client_id'], 'shop'],
      [[...hook, 'url'], 'https://mock.example'],
      [[...hook, 'secrets', 0], { env: 'SHORT_SECRET' }],
      [[...momo, 'base_url'], 'https://stub.example'],
      [['webhooks'], { allow_private_targets: true }],
    )
    expect(faultsOf(document).map(({ path }) => path)).toEqual([
      'database.pool_size',
      'signing_key',
      'merchant_clients[0].name',
      'merchant_clients[1].client_id',
      'live_mode',
      'public_base_url',
      'merchant_clients[0].webhooks[0].url',
      'rails.mtn_momo_cm.base_url',
      'merchant_clients[0].webhooks[0].secrets[0]',
      'webhooks.allow_private_targets',
    ])
  })

  test.each([
    ['that is invalid', 'postgres://['],
    ['whose authority is not there', address('sslrootcert=/not/there.pem')],
    ['with a list whose authority is not there', address('sslrootcert=/not/there.pem', 'db-1,db-2')],
  ])('in testmode with an address of the database %s is refused', (_, value) => {
    const document = spoiled([['livemode'], false], [['database', 'url'], value])
    const message = 'is no address that the driver can read, or names a file of TLS that cannot be read'
    expect(faultsOf(document)).toEqual([{ path: 'database.url', message }])
  })

  test('in testmode with an address that says how TLS works is accepted', () => {
    const folder = temporaryFolder()
    const authority = join(folder, 'authority.pem')
    writeFileSync(authority, 'a certificate')
    for (const value of [
      address(`sslrootcert=${authority}`),
      address('sslnegotiation=direct', 'db-1:5432,db-2'),
      'postgres:///payments?host=/var/run/postgresql&user=api',
    ])
      expect(faultsOf(spoiled([['livemode'], false], [['database', 'url'], value]))).toEqual([])
  })

  test.each([
    ['broken', 'livemode: [', 'line 1, column 12'],
    ['doubled', 'livemode: true\nlivemode: false', 'line 2, column 1'],
    ['an alias of nothing', 'livemode: *live', 'line 1, column 12'],
    ['empty', '', 'the file'],
    ['a list', '- livemode', 'the file'],
  ])('whose YAML is %s is refused', (_, text, path) => {
    expect(faultsOf(text)).toEqual([{ path, message: expect.stringMatching(/./) }])
  })

  test('that is not there is refused by its own path', () => {
    const path = join(temporaryFolder(), 'none.yaml')
    expect(() => loadConfig(path, env)).toThrow(
      new ConfigError([{ path, message: 'cannot be read (ENOENT)' }]),
    )
  })

  test('never repeats a value', () => {
    const everywhere = faulty.map(([, at]) => faultsOf(spoiled([at, canary]))).flat()
    expect(everywhere.length).toBeGreaterThan(faulty.length / 2)
    expect(JSON.stringify(everywhere)).not.toContain(canary)
    expect(JSON.stringify(faultsOf(`livemode: [${canary}`))).not.toContain(canary)
    expect(JSON.stringify(faultsOf(good(), { ...env, SIGNING_KEY: `{"kty":${canary}` }))).not.toContain(
      canary,
    )
  })
})
