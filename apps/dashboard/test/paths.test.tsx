import { expect, test } from 'vitest'
import { documentPaths } from '../src/document-paths.ts'
import { createDashboardRouter } from '../src/router.tsx'

test('the document is served at each of the router’s paths, and at no other', () => {
  const routes = Object.keys(createDashboardRouter().routesByPath)
  const paths = routes.map((path) => `/dash${path.replace('$id', '{id}')}`)
  expect([...documentPaths].toSorted()).toEqual(['/dash', ...paths].toSorted())
})
