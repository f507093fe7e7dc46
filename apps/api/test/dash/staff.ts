import { randomUUID } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import {
  type MerchantId,
  payerNumbersOf,
  type Registration,
  type RolesByClaim,
  type StaffLimits,
  type StepUp,
} from '@merchant-payments/core'
import {
  type IdentityProvider,
  type Person,
  people,
  rolesByClaim,
  startIdentityProvider,
} from '@merchant-payments/identity-provider'
import type { Database, Standby } from '@merchant-payments/db'
import type { StatementColumns } from '@merchant-payments/statements'
import type { JWK } from 'jose'
import { type ClientCredential, createIdentityProvider } from '../../src/dash/identity-provider.ts'
import { sessionSecretsOf } from '../../src/dash/session-secret.ts'
import { signInAttemptsOf } from '../../src/dash/sign-in-attempt.ts'
import {
  EURO_RAIL,
  publicBaseUrl,
  PUSH_RAIL,
  startTestApi,
  type TestAnswer,
  type TestApi,
  type TestApiOptions,
} from '../harness.ts'
import { send } from '../send.ts'

/** The service with a staff's surface, and its identity provider. */
export interface StaffApi extends TestApi {
  readonly idp: IdentityProvider
  readonly signInAs: (login: Login) => Promise<StaffMember>
}

const DAY_MS = 86_400_000

/** Advances to the next noon in UTC. Payments that are settled after it are all of one day, in the operators' zones too. */
export function advanceToNoon({ clock, advance }: Pick<TestApi, 'clock' | 'advance'>): void {
  const midnightMs = Math.ceil(clock() / DAY_MS) * DAY_MS
  advance(midnightMs + DAY_MS / 2 - clock())
}

export type Login = 'vera' | 'omar' | 'olga' | 'ada' | 'nils'

export interface StaffApiOptions extends Omit<TestApiOptions, 'dash'> {
  readonly people?: readonly Person[]
  readonly roles?: RolesByClaim
  readonly staffLimits?: StaffLimits
  readonly stepUp?: StepUp
  /** The address to which the provider sends logout tokens. */
  readonly logoutUri?: string
  /** Replaces the secret: the client's key, and the public key that the provider knows. */
  readonly key?: { readonly credential: ClientCredential; readonly known: JWK }
  /** Replaces the provider's own. */
  readonly issuer?: string
  /** A standby for reads of the api's database. */
  readonly standbyOf?: (db: Database) => Standby
}

export const clientId = 'payments-dashboard'
export const secretOfClient = 'the-secret-of-the-dashboards-client'

const deploymentKeys = [{ version: 1, key: 'a key of the deployment of 32 bytes' }]

const mtnStatements: StatementColumns = {
  rail: PUSH_RAIL,
  delimiter: ',',
  utcOffset: '+01:00',
  date: 'Date',
  dayFirst: false,
  status: 'Status',
  succeeded: ['Successful'],
  type: 'Type',
  charges: ['Debit'],
  payouts: ['Cash in'],
  reference: 'External id',
  transaction: 'Id',
  amount: ['Amount'],
  payoutSign: 'positive',
  defaultCurrency: 'XAF',
}

const orangeStatements: StatementColumns = {
  rail: EURO_RAIL,
  delimiter: ';',
  utcOffset: '+01:00',
  date: 'Date',
  time: 'Heure',
  dayFirst: true,
  status: 'Statut',
  succeeded: ['Succès'],
  type: 'Service',
  charges: ['Merchant Payment'],
  payouts: [],
  transaction: 'Référence',
  credit: ['Crédit'],
  debit: ['Débit'],
  defaultCurrency: 'EUR',
}

const acme: Registration = {
  id: 'acme' as MerchantId,
  name: 'Acme',
  scopes: ['payments:read', 'payments:write'],
  keyIds: ['one'],
  endpoints: [{ id: 'main', url: 'https://acme.example/hooks', secrets: 1 }],
}

export async function startStaffApi(options: StaffApiOptions = {}): Promise<StaffApi> {
  const { people: staff = people, roles = new Map(Object.entries(rolesByClaim)), issuer } = options
  const idp = await startIdentityProvider({
    clientId,
    clientSecret: options.key?.known ?? secretOfClient,
    ...(options.logoutUri !== undefined && { logoutUri: options.logoutUri }),
    origin: publicBaseUrl,
    people: staff,
  })
  const api = await startTestApi({
    ...options,
    dash: ({ db, clock, log }) => ({
      db,
      signInDb: db,
      standby: options.standbyOf?.(db),
      roles,
      staffLimits: options.staffLimits ?? {},
      statements: [mtnStatements, orangeStatements],
      stepUp: options.stepUp ?? null,
      origin: publicBaseUrl,
      payerNumbers: payerNumbersOf(deploymentKeys, clock),
      sessionSecrets: sessionSecretsOf(deploymentKeys),
      signInAttempts: signInAttemptsOf(deploymentKeys),
      registrations: [acme],
      identityProvider: createIdentityProvider({
        issuer: issuer ?? idp.issuer,
        clientId,
        credential: options.key?.credential ?? { kind: 'secret', secret: { reveal: () => secretOfClient } },
        roleClaim: 'roles',
        stepUp: options.stepUp ?? null,
        redirectUri: `${publicBaseUrl}/dash/v1/callback`,
        clock,
        log,
      }),
    }),
  })
  return {
    ...api,
    idp,
    signInAs: (login) => signInAs(api, login),
    stop: () => api.stop().finally(() => idp.stop()),
  }
}

/** The discovery document of a provider that a test makes itself. */
export function sendDiscovery(response: ServerResponse, issuer: string): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(
    JSON.stringify({
      issuer,
      authorization_endpoint: `${issuer}/auth`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
    }),
  )
}

/** Headers that browsers send with a navigation. */
export const navigation = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' }

/** A browser with cookies, which follows no redirect by itself. */
export interface Browser {
  readonly cookies: Map<string, string>
  readonly go: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestAnswer>
}

export function openBrowser(
  { origin }: Pick<TestApi, 'origin'>,
  cookies = new Map<string, string>(),
): Browser {
  return {
    cookies,
    go: async (path, headers = {}) => {
      const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
      const answer = await send(origin, {
        method: 'GET',
        path,
        headers: { ...navigation, ...(cookie === '' ? {} : { cookie }), ...headers },
      })
      for (const line of answer.headers['set-cookie'] ?? []) keep(cookies, line)
      return answer
    },
  }
}

function keep(cookies: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
  if (/max-age=0(?:;|$)/i.test(line) || value === '') cookies.delete(name)
  else cookies.set(name, value)
}

/** Passes the provider's pages, and returns the address to which it sends the browser back. */
export async function passProvider(
  authorizationUrl: string,
  login: Login,
  cookies = new Map<string, string>(),
  onForm: () => void = () => undefined,
): Promise<URL> {
  let next = new URL(authorizationUrl)
  let form: string | null = null
  for (let steps = 0; steps < 10; steps += 1) {
    const cookie = Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const response: Response = await fetch(next, {
      method: form === null ? 'GET' : 'POST',
      redirect: 'manual',
      headers: { cookie, ...(form === null ? {} : { 'content-type': 'application/x-www-form-urlencoded' }) },
      body: form,
    })
    for (const line of response.headers.getSetCookie()) keep(cookies, line)
    const location = response.headers.get('location')
    if (location === null) {
      if (form !== null || response.status !== 200) throw new Error(await response.text())
      onForm()
      form = `login=${login}`
      continue
    }
    form = null
    next = new URL(location, next)
    if (next.origin === publicBaseUrl) return next
  }
  throw new Error('the provider never sent anybody back')
}

/** Signs in up to the callback, which the test makes. */
export async function beginSignIn(
  api: Pick<TestApi, 'origin'>,
  login: Login,
  path = '/dash/v1/sign_in',
): Promise<{ browser: Browser; callback: string }> {
  const browser = openBrowser(api)
  const sent = await browser.go(path)
  const back = await passProvider(sent.headers.location ?? '', login)
  return { browser, callback: back.pathname + back.search }
}

/** A signed-in staff member. */
export interface StaffMember {
  readonly cookies: Map<string, string>
  readonly csrfToken: string
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<TestAnswer>
  readonly post: (
    path: string,
    form: Readonly<Record<string, string>>,
    extra?: PostExtra,
  ) => Promise<TestAnswer>
  readonly lookUp: (text: string) => Promise<TestAnswer>
}

interface PostExtra {
  readonly key?: string
  /** Undefined omits a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

export async function signInAs(api: TestApi, login: Login): Promise<StaffMember> {
  const { browser, callback } = await beginSignIn(api, login)
  await browser.go(callback)
  const { body } = await browser.go('/dash/v1/me')
  return memberOf(api, browser, body.csrf_token as string)
}

const memberOf = (api: Pick<TestApi, 'origin'>, browser: Browser, csrfToken: string): StaffMember => {
  const post: StaffMember['post'] = (path, form, { key = randomUUID(), headers = {} } = {}) => {
    const given: Record<string, string | undefined> = {
      cookie: Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; '),
      origin: publicBaseUrl,
      'csrf-token': csrfToken,
      'idempotency-key': key,
      'content-type': 'application/x-www-form-urlencoded',
      ...headers,
    }
    const sent = Object.entries(given).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    )
    return send(api.origin, {
      method: 'POST',
      path: `/dash/v1${path}`,
      headers: Object.fromEntries(sent) as Record<string, string>,
      body: new URLSearchParams(form).toString(),
    })
  }
  return {
    cookies: browser.cookies,
    csrfToken,
    get: (path, headers) => browser.go(`/dash/v1${path}`, headers),
    post,
    lookUp: (text) => post('/lookup', { q: text }, { headers: { 'idempotency-key': undefined } }),
  }
}

/** The handle of a number, for lists. */
export const handleOf = async (who: StaffMember, number: string): Promise<string> =>
  (await who.lookUp(number)).body.payer
