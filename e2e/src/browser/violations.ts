import axe from 'axe-core'
import type { Page } from '@playwright/test'

/** WCAG 2.2 AA. */
const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']

interface Violation {
  readonly id: string
  readonly nodes: readonly { readonly html: string }[]
}

/** The tests' types do not include the DOM, so what runs in the page is a string. */
const HAS_AXE = `'axe' in globalThis`
const runOf = (tags: readonly string[]) =>
  // axe describes the elements of violations alone. For all that pass it would take a third longer.
  `axe.run(document, ${JSON.stringify({ runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] })}).then(({ violations }) => violations)`

/**
 * The accessibility rules that the page violates, each with its elements. axe runs within the page, so a document gets
 * its source once. `@axe-core/playwright` parses the source three times for each check, and opens a second page.
 */
export async function violationsOn(
  page: Page,
  { bestPractice = false }: { readonly bestPractice?: boolean } = {},
): Promise<[string, string[]][]> {
  // axe would need its source in every frame.
  if (page.frames().length > 1) throw new Error('the page has frames, which this check does not read')
  if (!(await page.evaluate<boolean>(HAS_AXE))) await page.evaluate(axe.source)
  const tags = bestPractice ? [...WCAG, 'best-practice'] : WCAG
  const violations = await page.evaluate<readonly Violation[]>(runOf(tags))
  return violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
}
