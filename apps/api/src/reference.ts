import { hash } from 'node:crypto'
import { documents } from '@merchant-payments/contract/openapi'
import fastify, { type FastifyInstance } from 'fastify'
import { sendJson } from './http/errors.ts'
import { openPaths } from './http/paths.ts'

interface Shown {
  /** Serves the page for people. Generators need only the documents. */
  readonly page: boolean
  /** Describes the staff's surface if the deployment has one (spec 1.6). */
  readonly staff: boolean
  /** The server that the documents name. */
  readonly publicBaseUrl: string
}

/**
 * Serves the API's descriptions, for people and generators. It is outside the surfaces because it needs no
 * credential.
 */
export function registerReference(app: FastifyInstance, { page, staff, publicBaseUrl }: Shown): void {
  const shown = Object.entries(documents).filter(([name]) => staff || name !== 'dash')
  openPaths(app, '', (scope) => {
    const sources = shown.map(([name, document]) => {
      const url = `/openapi/${name}.json`
      // Node keeps a copy of a string for each client that does not read.
      const bytes = Buffer.from(JSON.stringify(ofServer(publicBaseUrl, JSON.parse(document) as OpenApi)))
      scope.get(url, (_request, reply) => sendJson(reply.headers(documentHeaders), 200, bytes))
      return { url, title: name, slug: name, agent: { disabled: true } }
    })
    if (page) registerPage(scope, sources)
  })
}

interface OpenApi {
  readonly servers: readonly [{ readonly url: string }]
}

const ofServer = (url: string, { servers: [server], ...document }: OpenApi) => ({
  ...document,
  servers: [{ ...server, url }],
})

const pagePaths = ['/reference', '/reference/', '/reference/js/scalar.js']

interface PageAnswer {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** The answers are made at the first request, because the library keeps a 15 MB script in memory once it is loaded. */
function registerPage(scope: FastifyInstance, sources: readonly object[]): void {
  let made: Promise<ReadonlyMap<string, PageAnswer>> | undefined
  const answers = async () => {
    made ??= makeAnswers(sources)
    try {
      return await made
    } catch (error) {
      // The next visitor tries again.
      made = undefined
      throw error
    }
  }
  for (const url of pagePaths) {
    scope.get(url, async (_request, reply) => {
      const answer = (await answers()).get(url)
      if (answer === undefined) throw new Error(`the page has no answer for ${url}`)
      return reply.code(answer.statusCode).headers(answer.headers).send(answer.body)
    })
  }
}

/** Asks the library's own server, which listens nowhere, for each path once. */
async function makeAnswers(sources: readonly object[]): Promise<ReadonlyMap<string, PageAnswer>> {
  const page = await openPage(sources)
  const made = new Map<string, PageAnswer>()
  for (const url of pagePaths) {
    const { statusCode, headers, rawPayload } = await page.inject(url)
    const kept: Record<string, string> = { ...pageHeaders }
    for (const name of ['content-type', 'location'] as const) {
      if (headers[name] !== undefined) kept[name] = headers[name]
    }
    let body = rawPayload
    if (kept['content-type']?.startsWith('text/html') === true) {
      const html = rawPayload.toString().replace('<head>', `<head><script>${storageOfOnePage}</script>`)
      kept['content-security-policy'] = policyOf(html)
      body = Buffer.from(html)
    }
    made.set(url, { statusCode, headers: kept, body })
  }
  await page.close()
  return made
}

async function openPage(sources: readonly object[]): Promise<FastifyInstance> {
  const { default: scalar } = await import('@scalar/fastify-api-reference')
  const page = fastify({ logger: false })
  await page.register(scalar, {
    routePrefix: '/reference',
    // Read-only: the page's test client cannot do private_key_jwt, and must not send anything elsewhere.
    configuration: {
      pageTitle: 'Merchant Payments API',
      sources: [...sources],
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideTestRequestButton: true,
      hideClientButton: true,
      mcp: { disabled: true },
    },
  })
  return page
}

/** The documents are public. The page has an opaque origin, so it needs CORS to read them. */
const documentHeaders = { 'access-control-allow-origin': '*', 'x-content-type-options': 'nosniff' }

/** A page with an opaque origin has no storage, which the script requires. This storage lasts as long as the page. */
const storageOfOnePage = `for (const name of ['localStorage', 'sessionStorage']) {
  const kept = new Map()
  Object.defineProperty(window, name, { value: {
    get length() { return kept.size },
    key: (n) => [...kept.keys()][n] ?? null,
    getItem: (key) => kept.get(String(key)) ?? null,
    setItem: (key, value) => void kept.set(String(key), String(value)),
    removeItem: (key) => void kept.delete(String(key)),
    clear: () => kept.clear(),
  } })
}`

const pageHeaders = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
}

/**
 * The page runs three megabytes of third-party script on the origin of /dash and /c. `sandbox` without
 * `allow-same-origin` gives it an opaque origin: it reads no cookie, storage or other page, and its requests carry no
 * credentials.
 */
const policyOf = (html: string): string =>
  [
    'sandbox allow-scripts',
    "default-src 'none'",
    `script-src 'self' ${inlineScriptsOf(html).map(sourceOf).join(' ')}`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    'font-src data:',
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

const inlineScriptsOf = (html: string): string[] =>
  Array.from(html.matchAll(/<script[^>]*>([^]*?)<\/script>/g), ([, script = '']) => script).filter(
    (script) => script !== '',
  )

const sourceOf = (script: string): string => `'sha256-${hash('sha256', script, 'base64')}'`
