import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import type { TestApi } from './harness.ts'

/** Requests for a part of these files, and requests with conditions, are no fault of the service. */
export const describeConditions = (api: TestApi, paths: readonly string[]) =>
  describe('a request with conditions', () => {
    const ask = (path: string, headers: Record<string, string>) => api.call({ path, token: null, headers })

    test.each(paths)('for %s is answered, and is no fault of the service', async (path) => {
      const whole = await ask(path, {})
      for (const range of ['bytes=0-1', 'bytes=999999-']) {
        expect(await ask(path, { range })).toMatchObject({ status: 200, text: whole.text })
      }
      expect(await ask(path, { 'if-match': '"x"' })).toBeBare(412)
      const refused = await ask(path, { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' })
      expect(refused).toBeBare(412)
      expect(refused.headers['cache-control'] ?? '').not.toContain('immutable')
    })

    test.each(paths)('for %s is a 304 if the client has the file', async (path) => {
      const { headers } = await ask(path, {})
      const etag = headers.etag ?? ''
      const modified = headers['last-modified'] ?? ''
      const conditions = [
        { 'if-none-match': `"x", ${etag}` },
        { 'if-none-match': etag.replace('W/', '') },
        { 'if-modified-since': modified },
      ]
      for (const method of ['GET', 'HEAD'] as const) {
        for (const condition of conditions) {
          const answer = await api.call({ method, path, token: null, headers: condition })
          expect(answer).toMatchObject({ status: 304, text: '', headers: { etag } })
          expect(answer.headers['cache-control']).toBe(headers['cache-control'])
          expect(answer.headers).not.toHaveProperty('content-length')
        }
      }
      for (const other of [
        { 'if-none-match': '"x"', 'if-modified-since': modified },
        { 'if-none-match': etag, 'cache-control': 'no-cache' },
        { 'if-modified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' },
        { 'if-match': etag, 'if-unmodified-since': modified },
      ]) {
        expect((await ask(path, other)).status).toBe(200)
      }
    })
  })

/** Paths that no page has, and the methods of those that one has. */
export const describeOtherPaths = (
  api: TestApi,
  { unknown, served }: { readonly unknown: readonly string[]; readonly served: readonly string[] },
) =>
  describe('any other path', () => {
    test.each(unknown)('%s is an unknown route', async (path) => {
      const answer = await api.call({ path, token: null })
      expect(answer.status).toBe(404)
      expect(answer.body.error.code).toBe('unknown_route')
    })

    test.each(served)('another method of %s is a 405', async (path) => {
      const answer = await api.call({ method: 'POST', path, token: null })
      expect(answer).toBeBare(405)
      expect(answer.headers.allow).toBe('GET, HEAD')
    })
  })

/** As a build does: empties the folder, and writes a document, its headers and its script under other names. */
function buildNextRelease(folder: string): void {
  rmSync(folder, { recursive: true })
  mkdirSync(join(folder, 'assets'), { recursive: true })
  const document = '<!doctype html><title>The next release</title>'
  for (const [name, content] of [
    ['index.html', document],
    ['index.html.br', brotliCompressSync(document)],
    ['index.html.gz', gzipSync(document)],
    ['headers.json', JSON.stringify({ 'content-security-policy': "script-src 'sha256-next'" })],
    ['paths.json', '["/dash"]'],
    ['assets/main-next.js', 'export const next = true'],
  ] as const) {
    writeFileSync(join(folder, name), content)
  }
}

/** Rebuilds the folder of the running api, so it comes after the other tests of the files there. */
export const describeNextRelease = (
  api: TestApi,
  { folder, served }: { readonly folder: string; readonly served: readonly string[] },
) =>
  test('a release that is built in the folder changes no answer before the restart', async () => {
    const answers = () =>
      Promise.all(
        served.flatMap((path) =>
          ['identity', 'gzip', 'br'].map(async (encoding) => {
            const answer = await fetch(api.origin + path, { headers: { 'accept-encoding': encoding } })
            const headers = Object.fromEntries(answer.headers)
            for (const name of ['date', 'request-id', 'x-request-id']) delete headers[name]
            return { path, status: answer.status, headers, text: await answer.text() }
          }),
        ),
      )
    const before = await answers()
    expect(before.map(({ status }) => status)).toEqual(before.map(() => 200))
    buildNextRelease(folder)
    expect(await answers()).toEqual(before)
  })

/** A folder with the built page and another large file, such as a source map of somebody's own. */
export function makeLargePage(): string {
  const folder = mkdtempSync(join(tmpdir(), 'large-page-'))
  buildNextRelease(folder)
  writeFileSync(join(folder, 'assets/main-next.js.map'), Buffer.alloc(8 * 1024 * 1024))
  return folder
}
