import { declinesPage, refusPage } from './declines.ts'
import { eventsPage } from './events.ts'

/** The guides that are made from the contract, by their path in the repository. */
export const guideFiles: Readonly<Record<string, () => string>> = {
  'docs/guides/events.md': eventsPage,
  'docs/guides/declines.md': declinesPage,
  'docs/guides/fr/refus.md': refusPage,
}

export const inRepository = (path: string): URL => new URL(`../../../${path}`, import.meta.url)
