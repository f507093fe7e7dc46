import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { errorKinds, methodsOf } from '@merchant-payments/contract'
import { createMetrics } from '@merchant-payments/telemetry'
import { afterAll, describe, expect, test } from 'vitest'
import { openCheckoutPage } from '../../src/checkout-page/page.ts'
import { openDashboardPage } from '../../src/dashboard-page/page.ts'
import { startStaffApi } from '../dash/staff.ts'
import { sendRaw } from '../raw.ts'
import { browserOperations, dashOperations, operations } from '../v1/operations.ts'

/** A folder that serves as both built pages. */
const folder = mkdtempSync(join(tmpdir(), 'every-route-'))
mkdirSync(join(folder, 'assets'))
for (const [name, content] of [
  ['index.html', '<!doctype html>'],
  ['headers.json', '{}'],
  ['paths.json', JSON.stringify(['/dash', '/dash/payments/{id}'])],
  ['assets/main-1a2b3c.js', ''],
  ['assets/main-4d5e6f.css', ''],
] as const) {
  writeFileSync(join(folder, name), content)
}

const api = await startStaffApi({
  checkoutPage: await openCheckoutPage(folder),
  dashboardPage: await openDashboardPage(folder),
})
afterAll(async () => {
  await api.stop()
  rmSync(folder, { recursive: true })
})

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** The paths in the router's own listing: a tree with four columns per level. */
function pathsOf(tree: string): string[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent, segment, listed] = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line) ?? []
    if (indent === undefined || segment === undefined) return []
    const depth = indent.length / 4
    above.splice(depth, above.length, segment)
    return listed === undefined ? [] : [above.join('')]
  })
}

/** An unauthenticated call of a path. */
const call = (method: (typeof methods)[number], path: string) =>
  api.call({ method, path: path.replaceAll(/:\w+/g, 'x'), token: null })

const declared = [...operations, ...browserOperations, ...dashOperations].map((operation) => ({
  path: operation.path.replace('{id}', ':id'),
  methods: methodsOf(operation),
}))
/** Routes outside the contract that are not a page, file or document. */
const otherPosts: Readonly<Record<string, readonly string[]>> = {
  '/v1/oauth/token': ['POST'],
  '/provider/:code/callback': ['POST', 'PUT'],
  '/dash/v1/backchannel_logout': ['POST'],
  '/dash/v1/statements/:id/lines': ['POST'],
}
/** A HEAD would read all rows of the file to drop them. */
const withoutHead = '/dash/v1/exports/:id'

/** The methods of a path, from the contract and the table above. A GET is also a HEAD. */
function wantedOf(path: string): string[] {
  const ofContract = declared.filter((one) => one.path === path).flatMap((one) => one.methods)
  const wanted = ofContract.length > 0 ? ofContract : (otherPosts[path] ?? ['GET'])
  return methods.filter((method) =>
    method === 'HEAD' ? wanted.includes('GET') && path !== withoutHead : wanted.includes(method),
  )
}

/** With the methods that do not answer 405. */
const routes = await Promise.all(
  pathsOf(api.app.printRoutes({ commonPrefix: false })).map(async (path) => {
    const answers = await Promise.all(methods.map((method) => call(method, path)))
    return { path, served: methods.filter((_, n) => answers[n]?.status !== 405) }
  }),
)

test('the walk finds each operation of the contract, and the routes outside the surfaces', () => {
  const paths = new Set(routes.map(({ path }) => path))
  const beside = [
    '/healthz',
    '/v1/oauth/token',
    '/openapi/v1.json',
    '/reference',
    '/reference/js/scalar.js',
    '/provider/:code/callback',
    '/dash/v1/sign_in',
    '/dash/v1/backchannel_logout',
    '/c/:session',
    '/c/assets/main-1a2b3c.js',
    '/dash/payments/:id',
  ]
  expect([...declared.map(({ path }) => path), ...beside].filter((path) => !paths.has(path))).toEqual([])
})

/** Spec 4.2 and 4.1, word for word. A GET is also a HEAD. */
const merchantRoutes = [
  'DELETE /v1/customers/:id',
  'DELETE /v1/invoice_items/:id',
  'DELETE /v1/invoices/:id',
  'GET /v1/account_holders',
  'GET /v1/checkout/sessions',
  'GET /v1/checkout/sessions/:id',
  'GET /v1/customers',
  'GET /v1/customers/:id',
  'GET /v1/events',
  'GET /v1/events/:id',
  'GET /v1/invoice_items/:id',
  'GET /v1/invoices',
  'GET /v1/invoices/:id',
  'GET /v1/oauth/.well-known/openid-configuration',
  'GET /v1/oauth/jwks.json',
  'GET /v1/payment_intents',
  'GET /v1/payment_intents/:id',
  'GET /v1/refunds',
  'GET /v1/refunds/:id',
  'PATCH /v1/invoice_items/:id',
  'PATCH /v1/invoices/:id',
  'POST /v1/checkout/sessions',
  'POST /v1/checkout/sessions/:id/expire',
  'POST /v1/customers',
  'POST /v1/customers/:id',
  'POST /v1/invoice_items',
  'POST /v1/invoice_items/:id',
  'POST /v1/invoices',
  'POST /v1/invoices/:id',
  'POST /v1/invoices/:id/finalize',
  'POST /v1/invoices/:id/mark_uncollectible',
  'POST /v1/invoices/:id/pay',
  'POST /v1/invoices/:id/void',
  'POST /v1/oauth/token',
  'POST /v1/payment_intents',
  'POST /v1/payment_intents/:id/cancel',
  'POST /v1/payment_intents/:id/confirm',
  'POST /v1/refunds',
  'POST /v1/refunds/:id',
  'POST /v1/refunds/:id/cancel',
]

test('the routes of /v1 are those of the specification, and no other [§4.2]', () => {
  const served = routes
    .filter(({ path }) => path.startsWith('/v1/') && !path.startsWith('/v1/browser/'))
    .flatMap(({ path, served }) =>
      served.filter((method) => method !== 'HEAD').map((method) => `${method} ${path}`),
    )
  expect(served.toSorted()).toEqual(merchantRoutes)
})

describe('the series of the requests', () => {
  /** The routes with their methods, as the walk above was counted. */
  const counted = async () => {
    const names = (await api.scrape()).matchAll(
      /^http_server_request_duration_seconds_count\{method="(\w+)",route="([^"]+)",/gm,
    )
    return new Set(Array.from(names, ([, method, route]) => `${method} ${route}`))
  }
  /** Those of the errors, and the others that an answer can have. */
  const statuses = new Set<number>([200, 201, 204, 302, 303, 304, 405, 412, 413])
  for (const { status } of Object.values(errorKinds)) statuses.add(status)

  test('have room for each status of each route, also for a caller who asks for all of them', async () => {
    const routes = await counted()
    expect(routes.size).toBeGreaterThan(declared.length)
    const metrics = createMetrics()
    const observe = metrics.durations('a_seconds', 'A.', ['route', 'status'])
    for (const route of routes) for (const status of statuses) observe(1, { route, status: String(status) })
    const kept = (await metrics.render()).matchAll(/^a_seconds_count\{/gm)
    expect([...kept]).toHaveLength(routes.size * statuses.size)
  })

  test('have one route for the files of a page, one for its screens, and one method for all that no route has', async () => {
    await sendRaw(api.origin, 'PROPFIND /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    const routes = [...(await counted())].filter((name) => / (?:none|\/c\/.+|\/dash(?!\/v1).*)$/.test(name))
    const pages = ['/c/:session', '/c/assets/*', '/dash/*', '/dash/assets/*']
    expect(routes.toSorted()).toEqual(
      [
        ...pages.flatMap((page) => [`GET ${page}`, `HEAD ${page}`]),
        ...[...methods, '_OTHER'].map((method) => `${method} none`),
      ].toSorted(),
    )
  })
})

describe('405', () => {
  test.each(routes)(
    '$path answers it, with Allow, to each method that it has not [§4]',
    async ({ path, served }) => {
      expect(served).toEqual(wantedOf(path))
      for (const method of methods.filter((method) => !served.includes(method))) {
        const answer = await call(method, path)
        expect(answer).toBeBare(405)
        expect(answer.headers.allow).toBe(served.join(', '))
      }
    },
  )

  test.each(['PROPFIND', 'TRACE', 'M-SEARCH'])('is the answer to %s, which no path has', async (method) => {
    for (const { path, served } of routes) {
      const [answer] = await sendRaw(
        api.origin,
        `${method} ${path.replaceAll(/:\w+/g, 'x')} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
      )
      expect([path, answer?.status, answer?.headers.allow]).toEqual([path, 405, served.join(', ')])
    }
  })

  test('is the answer at an address of the reference and of a description', async () => {
    for (const path of ['/reference', '/reference/', '/openapi/v1.json']) {
      const answer = await api.call({ method: 'POST', path, token: null })
      expect(answer).toBeBare(405)
      expect(answer.headers.allow).toBe('GET, HEAD')
    }
  })
})
