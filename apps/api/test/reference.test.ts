import { execFile } from 'node:child_process'
import { hash } from 'node:crypto'
import { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { documents } from '@merchant-payments/contract/openapi'
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { startStaffApi } from './dash/staff.ts'
import { publicBaseUrl, startTestApi, type TestApiOptions } from './harness.ts'
import { describeConditions } from './page-conditions.ts'

const api = await startStaffApi()
afterAll(() => api.stop())

async function originOf(options: TestApiOptions): Promise<string> {
  const other = await startTestApi(options)
  onTestFinished(() => other.stop())
  return other.origin
}

/** The directives of an answer's policy. */
function policyOf({ headers }: Response): ReadonlyMap<string, string> {
  const directives = headers.get('content-security-policy')?.split('; ') ?? []
  return new Map(
    directives.map((directive) => {
      const [name = '', ...sources] = directive.split(' ')
      return [name, sources.join(' ')]
    }),
  )
}

describe('the OpenAPI documents', () => {
  test.each(Object.entries(documents))('of %s are served to anyone, on any page', async (name, document) => {
    const answer = await fetch(`${api.origin}/openapi/${name}.json`)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      'x-content-type-options': 'nosniff',
    })
    expect(answer.headers.has('access-control-allow-credentials')).toBe(false)
    const { servers, ...described } = (await answer.json()) as { servers: object[] }
    expect(servers).toEqual([{ url: publicBaseUrl, description: expect.any(String) }])
    const { servers: _, ...written } = JSON.parse(document) as { servers: object[] }
    expect(described).toEqual(written)
  })

  test('are not copied for a client that does not read them', async () => {
    const sent = vi.spyOn(ServerResponse.prototype, 'end')
    onTestFinished(() => sent.mockRestore())
    for (const name of Object.keys(documents)) {
      sent.mockClear()
      for (let n = 0; n < 2; n += 1) await (await fetch(`${api.origin}/openapi/${name}.json`)).text()
      const [first, second] = sent.mock.calls.map(([body]: unknown[]) => body)
      expect(first).toBeInstanceOf(Buffer)
      expect(second).toBe(first)
    }
  })

  test('do not describe the staff’s surface if there is none', async () => {
    const origin = await originOf({})
    expect((await fetch(`${origin}/openapi/dash.json`)).status).toBe(404)
    expect(await (await fetch(`${origin}/reference/`)).text()).not.toContain('dash')
  })
})

describe('the documents and the page', () => {
  const paths = [
    ...Object.keys(documents).map((name) => `/openapi/${name}.json`),
    '/reference/',
    '/reference/js/scalar.js',
  ]
  describeConditions(api, paths)

  test.each(paths)('%s is sent compressed, and kept by the client for some minutes', async (path) => {
    const ask = async (encoding: string) => {
      const answer = await fetch(api.origin + path, { headers: { 'accept-encoding': encoding } })
      expect(answer.headers.get('cache-control')).toBe('public, max-age=300')
      return { encoding: answer.headers.get('content-encoding'), text: await answer.text() }
    }
    const { text } = await ask('identity')
    expect(await ask('gzip')).toEqual({ encoding: 'gzip', text })
  })

  test('are the same for the client whichever replica answers', async () => {
    const other = await startStaffApi()
    onTestFinished(() => other.stop())
    const tagsOf = ({ origin }: { readonly origin: string }) =>
      Promise.all(
        paths.map(async (path) => (await fetch(origin + path, { method: 'HEAD' })).headers.get('etag')),
      )
    const tags = await tagsOf(api)
    expect(tags).not.toContain(null)
    expect(await tagsOf(other)).toEqual(tags)
  })
})

describe('the page', () => {
  test('is also found without the slash at its end', async () => {
    const answer = await fetch(`${api.origin}/reference`, { redirect: 'manual' })
    expect([answer.status, answer.headers.get('location')]).toEqual([301, '/reference/'])
  })

  test('includes its script, and loads nothing from elsewhere', async () => {
    const page = await fetch(`${api.origin}/reference/`)
    expect(page.status).toBe(200)
    const html = await page.text()
    expect(html).toContain('/openapi/v1.json')
    const sources = Array.from(html.matchAll(/(?:src|href)="([^"]+)"/g), ([, address = '']) => address)
    expect(sources.length).toBeGreaterThan(0)
    for (const source of sources) {
      const address = new URL(source, page.url)
      expect(address.origin).toBe(new URL(api.origin).origin)
      const script = await fetch(address)
      expect(script.status).toBe(200)
      expect(script.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('has another origin than /dash and /c: no cookie, storage or other page', async () => {
    const page = await fetch(`${api.origin}/reference/`)
    const policy = policyOf(page)
    expect(policy.get('sandbox')).toBe('allow-scripts')
    expect(Object.fromEntries(policy)).toMatchObject({
      'default-src': "'none'",
      'connect-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': "'none'",
    })
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    expect(page.headers.has('set-cookie')).toBe(false)
  })

  test('runs only its own scripts, each by its hash', async () => {
    const page = await fetch(`${api.origin}/reference/`)
    const html = await page.text()
    const inline = Array.from(
      html.matchAll(/<script(?: type="[^"]+")?>([^]*?)<\/script>/g),
      ([, script = '']) => script,
    )
    expect(inline.length).toBeGreaterThan(0)
    expect(policyOf(page).get('script-src')?.split(' ')).toEqual([
      "'self'",
      ...inline.map((script) => `'sha256-${hash('sha256', script, 'base64')}'`),
    ])
  })

  // The library alone takes 15 MB of heap.
  test('loads its library for the first visitor', async () => {
    const program = `
      import { registerHooks } from 'node:module'
      import fastify from '${import.meta.resolve('fastify')}'
      let loaded = 0
      registerHooks({
        load: (url, context, nextLoad) => {
          if (url.includes('/@scalar/fastify-api-reference/')) loaded += 1
          return nextLoad(url, context)
        },
      })
      const { knowAllMethods } = await import('${new URL('../src/http/paths.ts', import.meta.url).href}')
      const { registerReference } = await import('${new URL('../src/reference.ts', import.meta.url).href}')
      const app = fastify()
      knowAllMethods(app)
      registerReference(app, { page: true, staff: false })
      await app.inject('/openapi/v1.json')
      const before = loaded
      const { statusCode } = await app.inject('/reference/')
      console.log(JSON.stringify({ before, statusCode, after: loaded }))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program])
    expect(JSON.parse(stdout)).toEqual({ before: 0, statusCode: 200, after: 1 })
  })

  test('is absent if it is off, but the documents are served', async () => {
    const origin = await originOf({ referencePage: false })
    for (const path of ['/reference', '/reference/', '/reference/js/scalar.js']) {
      const answer = await fetch(`${origin}${path}`, { redirect: 'manual' })
      expect(answer.status).toBe(404)
      expect(await answer.json()).toMatchObject({ error: { code: 'unknown_route' } })
    }
    expect((await fetch(`${origin}/openapi/v1.json`)).status).toBe(200)
  })
})
