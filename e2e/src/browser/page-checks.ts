import type { Page } from '@playwright/test'

/** An expression: by how many pixels the page scrolls sideways. */
export const SIDEWAYS = 'document.documentElement.scrollWidth - document.documentElement.clientWidth'

/** Collects what the page's policy refuses from now on, and the errors of its scripts. */
export function refusedByPolicy(page: Page): string[] {
  const refusals: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/.test(message.text())) refusals.push(message.text())
  })
  page.on('pageerror', (error) => refusals.push(error.message))
  return refusals
}
