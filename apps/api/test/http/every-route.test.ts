import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { openCheckoutPage } from '../../src/checkout-page/page.ts'
import { openDashboardPage } from '../../src/dashboard-page/page.ts'
import { startStaffApi } from '../dash/staff.ts'
import { browserOperations, dashOperations, operations } from '../v1/operations.ts'

/** A folder that serves as both built pages. */
const folder = mkdtempSync(join(tmpdir(), 'every-route-'))
mkdirSync(join(folder, 'assets'))
for (const [name, content] of [
  ['index.html', '<!doctype html>'],
  ['headers.json', '{}'],
  ['paths.json', JSON.stringify(['/dash', '/dash/payments/{id}'])],
  ['assets/main-1a2b3c.js', ''],
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

/** What the router itself says that it has: a tree of paths with four columns for each level. */
function routesOf(tree: string): { path: string; allowed: string[] }[] {
  const above: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent, segment, listed] = /^((?:[│ ] {3})*)[├└]── (\S+)(?: \((.+)\))?$/.exec(line) ?? []
    if (indent === undefined || segment === undefined) return []
    const depth = indent.length / 4
    above.splice(depth, above.length, segment)
    return listed === undefined ? [] : [{ path: above.join(''), allowed: listed.split(', ') }]
  })
}

const routes = routesOf(api.app.printRoutes({ commonPrefix: false }))

test('the walk finds each operation of the contract, and what is beside the surfaces', () => {
  const paths = new Set(routes.map(({ path }) => path))
  const declared = [...operations, ...browserOperations, ...dashOperations].map(({ path }) =>
    path.replace('{id}', ':id'),
  )
  const beside = [
    '/healthz',
    '/v1/oauth/token',
    '/openapi/v1.json',
    '/reference',
    '/reference/js/scalar.js',
    '/provider/:code/callback',
    '/dash/v1/sign_in',
    '/c/:session',
    '/c/assets/main-1a2b3c.js',
    '/dash/payments/:id',
  ]
  expect([...declared, ...beside].filter((path) => !paths.has(path))).toEqual([])
})

describe('405', () => {
  test.each(routes)(
    '$path answers it, with Allow, to each method that it has not',
    async ({ path, allowed }) => {
      const wrong = methods.filter((method) => !allowed.includes(method))
      expect(wrong).not.toEqual([])
      for (const method of wrong) {
        const answer = await api.call({ method, path: path.replaceAll(/:\w+/g, 'x'), token: null })
        expect([method, answer.status]).toEqual([method, 405])
        expect(answer).toBeBare(405)
        expect(answer.headers.allow?.split(', ').toSorted()).toEqual(allowed.toSorted())
      }
    },
  )

  test('is answered at an address of the reference and of a description', async () => {
    for (const path of ['/reference', '/reference/', '/openapi/v1.json']) {
      const answer = await api.call({ method: 'POST', path, token: null })
      expect(answer).toBeBare(405)
      expect(answer.headers.allow).toBe('GET, HEAD')
    }
  })
})
