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
      expect(await ask(path, { 'if-unmodified-since': 'Sat, 01 Jan 2000 00:00:00 GMT' })).toBeBare(412)
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
