import { isIPv4 } from 'node:net'
import { serverAddresses, ServerListError } from '@merchant-payments/db/server-list'
import { parse } from 'pg-connection-string'
import type { ConfigProblem } from './faults.ts'
import { type Path, spelled } from './path.ts'
import { modulusIn } from './rsa-key.ts'
import { type Environment, readReference } from './secret.ts'

/** Spec 6.3.11: a host with one of these words in its name belongs to a test set-up. */
const TEST_HOST_WORDS = ['wiremock', 'stub', 'mock', 'localhost']
/** Operators also name test hosts like sandbox.momodeveloper.mtn.com. */
const RAIL_TEST_HOST_WORDS = [...TEST_HOST_WORDS, 'sandbox']
/** Spec 6.3.11 sets this for the secrets that sign. The staff's client secret proves as much. */
const SECRET_BYTES_MIN = 32

interface Setting {
  readonly path: Path
  readonly value: unknown
  readonly holder: object
}

/** Kept for all settings of one rule. */
interface RuleContext {
  readonly env: Environment
  readonly document: unknown
  /** The settings so far by the secrets and keys that they hold. */
  readonly holders: Map<string, Path>
}

export interface LiveRule {
  /** What the rule refuses, as a row of a table. */
  readonly refuses: string
  /** The setting's path. `*` stands for each entry of a list or a map, and `**` alone for every setting. */
  readonly at: string
  readonly in?: 'environment'
  /** Returns null for a good value, and for one that the schema refuses anyway. Called in the order of the file. */
  readonly fault: (setting: Setting, context: RuleContext) => string | null
}

/**
 * Spec 6.3.11: what livemode refuses at start and testmode accepts. Each rule keeps test rails out of a
 * livemode deployment, or keeps its secrets from being read by others. This table is the only place for such
 * rules.
 */
export const liveRules: readonly LiveRule[] = [
  { refuses: 'our own address without TLS', at: 'public_base_url', fault: webAddress([]) },
  { refuses: 'the checkout page without TLS', at: 'checkout_base_url', fault: webAddress([]) },
  { refuses: 'callbacks of rails without TLS', at: 'callback_base_url', fault: webAddress([]) },
  { refuses: 'the dashboard without TLS', at: 'staff.dashboard_base_url', fault: webAddress([]) },
  {
    refuses: 'an identity provider without TLS or on a test host',
    at: 'staff.issuer',
    fault: webAddress(TEST_HOST_WORDS),
  },
  {
    refuses: 'an endpoint without TLS or on a test host',
    at: 'merchant_clients.*.webhooks.*.url',
    fault: webAddress(TEST_HOST_WORDS),
  },
  {
    refuses: 'a rail without TLS, on a test host or on a sandbox',
    at: 'rails.*.base_url',
    fault: webAddress(RAIL_TEST_HOST_WORDS),
  },
  {
    refuses: 'a token address without TLS, on a test host or on a sandbox',
    at: 'rails.*.token_url',
    fault: webAddress(RAIL_TEST_HOST_WORDS),
  },
  { refuses: 'traces sent without TLS', at: 'tracing.endpoint', fault: webAddress([]) },
  {
    refuses: 'the sandbox of MTN',
    at: 'rails.*.target_environment',
    fault: ({ value }) =>
      typeof value === 'string' && value.trim().toLowerCase() === 'sandbox'
        ? 'must not be the sandbox in livemode'
        : null,
  },
  {
    refuses: 'the sandbox of Orange',
    at: 'rails.*.country',
    fault: ({ value }) => (value === 'dev' ? 'must not be the sandbox in livemode' : null),
  },
  {
    // A mismatch would charge the amount in another currency than the payer saw.
    refuses: 'a wire currency that is not the rail’s',
    at: 'rails.*.wire_currency',
    fault: ({ value, holder }) =>
      value === undefined || value === Reflect.get(holder, 'settlement_currency')
        ? null
        : 'must be the settlement_currency in livemode',
  },
  { refuses: 'a database password in the file', at: 'database.url', fault: literalPassword },
  { refuses: 'a database connection that others can read', at: 'database.url', fault: openConnection },
  { refuses: 'a password of a standby in the file', at: 'database.reader_url', fault: literalPassword },
  {
    refuses: 'a connection to a standby that others can read',
    at: 'database.reader_url',
    fault: openConnection,
  },
  {
    refuses: 'a publishable key of testmode',
    at: 'merchant_clients.*.publishable_key',
    fault: ({ value }) =>
      typeof value === 'string' && value.startsWith('pk_test_')
        ? 'must not be a pk_test_ key in livemode'
        : null,
  },
  {
    refuses: 'an endpoint secret in the file',
    at: 'merchant_clients.*.webhooks.*.secrets.*',
    fault: ({ value }) =>
      typeof value === 'string' ? 'must be a reference to the environment, {env: NAME}, in livemode' : null,
  },
  { refuses: 'a short endpoint secret', at: 'merchant_clients.*.webhooks.*.secrets.*', fault: shortSecret },
  { refuses: 'one secret or key of two owners', at: '**', fault: sharedSecret },
  { refuses: 'a short client secret of staff', at: 'staff.client_secret', fault: shortSecret },
  {
    refuses: 'endpoints inside the deployment',
    at: 'webhooks.allow_private_targets',
    fault: ({ value }) => (value === true ? 'must be false in livemode' : null),
  },
  {
    refuses: 'a log without the lines that a restore needs',
    at: 'log.level',
    fault: ({ value }) =>
      typeof value === 'string' && ['warn', 'error', 'fatal', 'silent'].includes(value)
        ? 'must be info, debug or trace in livemode: a restore reads lines of the level info'
        : null,
  },
  {
    refuses: 'TLS whose certificates nobody checks',
    at: 'NODE_TLS_REJECT_UNAUTHORIZED',
    in: 'environment',
    fault: ({ value }) => (value === '0' ? 'must not be 0 in livemode: certificates must be checked' : null),
  },
]

/**
 * Applies the livemode rules also to a file that the schema refuses, so that one run reports the faults of
 * both.
 */
export const liveFaultsOf = (document: unknown, env: Environment): ConfigProblem[] =>
  liveRules.flatMap((rule) => {
    const settings = settingsAt(rule.in === 'environment' ? env : document, rule.at.split('.'))
    const context: RuleContext = { env, document, holders: new Map() }
    return settings.flatMap((setting) => {
      const message = rule.fault(setting, context)
      return message === null ? [] : [{ path: spelled(setting.path), message }]
    })
  })

function settingsAt(holder: unknown, pattern: readonly string[], path: Path = []): Setting[] {
  const [part, ...rest] = pattern
  if (part === undefined || typeof holder !== 'object' || holder === null) return []
  if (part === '**') return settingsIn(holder, path)
  const names = part === '*' ? keysOf(holder) : Object.hasOwn(holder, part) ? [part] : []
  return names.flatMap((name) => {
    const value: unknown = Reflect.get(holder, name)
    const here = [...path, name]
    return rest.length === 0 ? [{ path: here, value, holder }] : settingsAt(value, rest, here)
  })
}

const settingsIn = (holder: object, path: Path): Setting[] =>
  keysOf(holder).flatMap((name) => {
    const value: unknown = Reflect.get(holder, name)
    const here = [...path, name]
    const setting = { path: here, value, holder }
    return typeof value === 'object' && value !== null ? [setting, ...settingsIn(value, here)] : [setting]
  })

const keysOf = (holder: object): (string | number)[] =>
  Array.isArray(holder) ? [...holder.keys()] : Object.keys(holder)

/**
 * The text of a setting. Returns null if it has none or its reference does not resolve; the schema reports
 * those.
 */
function textOf(value: unknown, env: Environment): string | null {
  const text = typeof value === 'string' ? value : readReference(value, env)
  return typeof text === 'string' && text !== '' ? text : null
}

function webAddress(words: readonly string[]): LiveRule['fault'] {
  return ({ value }) => {
    const url = typeof value === 'string' ? URL.parse(value) : null
    if (url === null) return null
    if (url.protocol === 'http:') return 'must be https in livemode'
    const word = words.find((candidate) => url.hostname.includes(candidate))
    return word === undefined ? null : `must not have a host with "${word}" in its name in livemode`
  }
}

function shortSecret({ value }: Setting, { env }: RuleContext): string | null {
  const text = textOf(value, env)
  if (text === null || Buffer.byteLength(text) >= SECRET_BYTES_MIN) return null
  return `must have at least ${SECRET_BYTES_MIN} bytes in livemode`
}

/**
 * Each secret and each key has one owner, because who knows the one of another can act as that other. A merchant that has
 * another's webhook secret can sign its events.
 */
function sharedSecret(setting: Setting, context: RuleContext): string | null {
  const { holders } = context
  for (const secret of secretsIn(setting, context)) {
    const other = holders.get(secret) ?? setting.path
    holders.set(secret, other)
    if (ownerOf(other, context) !== ownerOf(setting.path, context)) {
      return `has the secret or key of ${spelled(other)}, too; each must have its own in livemode`
    }
  }
  return null
}

/** In livemode the environment has all secrets. A key is compared by its modulus, public or private. */
function secretsIn({ path, value }: Setting, { env }: RuleContext): string[] {
  if (typeof value !== 'object' || value === null) return []
  const at = path.map((part) => (typeof part === 'number' ? '*' : part)).join('.')
  if (at === 'merchant_clients.*.jwks.keys.*') return [modulusIn(value) ?? []].flat()
  const text = textOf(value, env)
  if (text === null) return []
  if (path[0] === 'database') return passwordsIn(text, env)
  return [modulusIn(text) ?? text]
}

/** Two rails of one operator may share an account. */
function ownerOf(path: Path, { document }: RuleContext): string {
  const [first, second, third] = path
  if (first === 'rails')
    return `adapter ${String(settingsAt(document, ['rails', String(second), 'adapter'])[0]?.value)}`
  if (first !== 'merchant_clients') return String(first)
  return spelled(path.slice(0, third === 'webhooks' ? 4 : 2))
}

const passwordsIn = (text: string, env: Environment): string[] =>
  addressesOf(text, env).flatMap((address) => address?.password || [])

function literalPassword({ value }: Setting, { env }: RuleContext): string | null {
  if (typeof value !== 'string' || passwordsIn(value, env).length === 0) return null
  return 'must not contain a password in livemode; give the URL as {env: NAME}'
}

/**
 * Parses the address with the driver's own parser. Only TLS whose certificate and name are checked
 * protects the password and the rows.
 */
function openConnection({ value }: Setting, { env }: RuleContext): string | null {
  const text = textOf(value, env)
  if (text === null) return null
  const faults = addressesOf(text, env).map(faultOfAddress)
  return faults.find((fault) => fault !== null) ?? null
}

function faultOfAddress(address: DatabaseAddress | null): string | null {
  if (address === null) return 'is no address that the driver can read'
  if (address.tls === 'off') return 'must not disable TLS (sslmode=disable) in livemode'
  if (address.tls === 'unchecked') {
    return 'must check the server’s certificate and its name in livemode: set sslmode=verify-full'
  }
  if (address.tls === 'checked' || isThisMachine(address.host)) return null
  return 'must use TLS in livemode: set sslmode=verify-full'
}

interface DatabaseAddress {
  readonly host: string
  /** Empty if the address has none. */
  readonly password: string
  readonly tls: 'checked' | 'unchecked' | 'off' | 'unsaid'
}

/** One for each server that the text names; none for a list that the schema refuses. */
function addressesOf(text: string, env: Environment): (DatabaseAddress | null)[] {
  try {
    return serverAddresses(text).map((one) => addressOf(one, env))
  } catch (error) {
    if (error instanceof ServerListError) return []
    throw error
  }
}

function addressOf(text: string, env: Environment): DatabaseAddress | null {
  try {
    const { host, password = '', ssl } = parse(text)
    const tls = tlsOf(ssl === undefined ? sslOf(env['PGSSLMODE']) : ssl)
    return { host: host || env['PGHOST'] || 'localhost', password, tls }
  } catch {
    // The error's message may quote the address.
    return null
  }
}

type Ssl = ReturnType<typeof parse>['ssl']

/** Reads PGSSLMODE as the driver does when the address has no TLS setting. */
function sslOf(mode: string | undefined): Ssl {
  if (mode === 'disable') return false
  if (mode === 'no-verify') return mode
  return mode !== undefined && ['prefer', 'require', 'verify-ca', 'verify-full'].includes(mode)
    ? true
    : undefined
}

function tlsOf(ssl: Ssl): DatabaseAddress['tls'] {
  if (ssl === undefined || ssl === '') return 'unsaid'
  if (ssl === false) return 'off'
  return ssl === 'no-verify' || (typeof ssl === 'object' && isLax(ssl)) ? 'unchecked' : 'checked'
}

/** The driver replaces the check of the name by an empty one for libpq's verify-ca. */
const isLax = (ssl: Extract<Ssl, object>): boolean =>
  ssl.rejectUnauthorized === false || 'checkServerIdentity' in ssl

/** A Unix socket or the loopback interface: the connection never leaves this machine. */
const isThisMachine = (host: string): boolean =>
  host.startsWith('/') || host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
