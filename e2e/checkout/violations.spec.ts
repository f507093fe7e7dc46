import { expect, test } from '@playwright/test'
import { violationsOn } from '../src/browser/violations.ts'

const page = (main: string) =>
  `<!doctype html><html lang="en"><title>Shop</title><main><h1>Shop</h1>${main}</main></html>`

test('the check of accessibility finds what it is there for', async ({ page: tab }) => {
  await tab.setContent(page('<p style="color: #999; background: #fff">Pale</p>'))
  expect(await violationsOn(tab)).toEqual([
    ['color-contrast', ['<p style="color: #999; background: #fff">Pale</p>']],
  ])
  await tab.setContent(page('<h3>Too deep</h3>'))
  expect(await violationsOn(tab)).toEqual([])
  expect(await violationsOn(tab, { bestPractice: true })).toEqual([['heading-order', ['<h3>Too deep</h3>']]])
})

test('the check of accessibility refuses a page with frames, which it does not read', async ({
  page: tab,
}) => {
  await tab.setContent(page('<iframe title="Other" srcdoc="<p>Other</p>"></iframe>'))
  await expect(violationsOn(tab)).rejects.toThrow('the page has frames')
})
