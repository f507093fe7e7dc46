import { hash } from 'node:crypto'
import { documents } from '@merchant-payments/contract/openapi'
import fastify, { type FastifyInstance } from 'fastify'
import { type BuiltFile, compressedFile, sendFile, typeOf } from './http/built-file.ts'
import { getOrHead } from './http/built-page.ts'
import { openPaths } from './http/paths.ts'

interface Shown {
  /** Serves the page for people. Generators need only the documents. */
  readonly page: boolean
  /** Describes the staff's surface if the deployment has one (spec 1.6). */
  readonly staff: boolean
  /** The server that the documents name. */
  readonly publicBaseUrl: string
  /** Epoch milliseconds since which the files are as they are. */
  readonly startedMs: number
}

/**
 * Serves the API's descriptions, for people and generators. It is outside the surfaces because it needs no
 * credential.
 */
export function registerReference(
  app: FastifyInstance,
  { page, staff, publicBaseUrl, startedMs }: Shown,
): void {
  const shown = Object.entries(documents).filter(([name]) => staff || name !== 'dash')
  const modified = new Date(startedMs)
  openPaths(app, '', (scope) => {
    const sources = shown.map(([name, document]) => {
      const url = `/openapi/${name}.json`
      const file = madeOnce(() => {
        const text = JSON.stringify(ofServer(publicBaseUrl, JSON.parse(document) as OpenApi))
        return compressedFile(typeOf(url), Buffer.from(text), modified)
      })
      getOrHead(scope, url, url, async (reply) =>
        sendFile(reply.headers(documentHeaders), await file(), forMinutes),
      )
      return { url, title: name, slug: name, agent: { disabled: true } }
    })
    if (page) registerPage(scope, sources, modified)
  })
}

/** Replicas of two releases may answer one client during a deployment. */
const forMinutes = { 'cache-control': 'public, max-age=300' }

/** Makes the value at the first call. After a failure the next call tries again. */
function madeOnce<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return async () => {
    made ??= make()
    try {
      return await made
    } catch (error) {
      made = undefined
      throw error
    }
  }
}

interface OpenApi {
  readonly servers: readonly [{ readonly url: string }]
}

const ofServer = (url: string, { servers: [server], ...document }: OpenApi) => ({
  ...document,
  servers: [{ ...server, url }],
})

const PAGE = '/reference/'
const pagePaths = [PAGE, `${PAGE}js/scalar.js`]

interface PageFile {
  readonly headers: Readonly<Record<string, string>>
  readonly file: BuiltFile
}

/** The files are made at the first request, because the library keeps a 15 MB script in memory once it is loaded. */
function registerPage(scope: FastifyInstance, sources: readonly object[], modified: Date): void {
  scope.get(PAGE.slice(0, -1), (_request, reply) => reply.redirect(PAGE, 301))
  const files = madeOnce(() => makeFiles(sources, modified))
  for (const url of pagePaths) {
    getOrHead(scope, url, url, async (reply) => {
      const answer = (await files()).get(url)
      if (answer === undefined) throw new Error(`the page has no file for ${url}`)
      return sendFile(reply.headers(answer.headers), answer.file, forMinutes)
    })
  }
}

/** Asks the library's own server, which listens nowhere, for each path once. */
async function makeFiles(sources: readonly object[], modified: Date): Promise<ReadonlyMap<string, PageFile>> {
  const page = await openPage(sources)
  const made = new Map<string, PageFile>()
  for (const url of pagePaths) {
    const { headers: sent, rawPayload } = await page.inject(url)
    const type = sent['content-type'] ?? typeOf(url)
    const isHtml = type.startsWith('text/html')
    const html = rawPayload.toString().replace('<head>', `<head><script>${storageOfOnePage}</script>`)
    const headers = isHtml ? { ...pageHeaders, 'content-security-policy': policyOf(html) } : pageHeaders
    const file = await compressedFile(type, isHtml ? Buffer.from(html) : rawPayload, modified)
    made.set(url, { headers, file })
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
const documentHeaders = { 'access-control-allow-origin': '*' }

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
